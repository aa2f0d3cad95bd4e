package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.TerminalSize;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SmallThingsTest {
  @Test
  void durationsAreReadWithAndWithoutUnits() {
    assertThat(Durations.parse("90")).contains(Duration.ofSeconds(90));
    assertThat(Durations.parse("1.5m")).contains(Duration.ofSeconds(90));
    assertThat(Durations.parse("500ms")).contains(Duration.ofMillis(500));
    assertThat(Durations.parse("2d")).contains(Duration.ofDays(2));
    assertThat(Durations.parse("-1")).isEmpty();
    assertThat(Durations.parse("1 h")).isEmpty();
  }

  @Test
  void placesAreLocalRemoteOrStreams() {
    assertThat(Place.of("-")).isEqualTo(new Place.Stream());
    assertThat(Place.of("box:/a:b")).isEqualTo(new Place.Remote("box", "/a:b"));
    assertThat(Place.of("box:")).isEqualTo(new Place.Remote("box", "."));
    assertThat(Place.of("./box:a")).isEqualTo(new Place.Local(Path.of("./box:a")));
    assertThat(new Place.Remote("box", "/a/b/").name()).isEqualTo("b");
  }

  @Test
  void terminalSizesAreRowsThenColumns() {
    assertThat(LocalTerminal.parse("24 80\n")).contains(new TerminalSize(24, 80));
    assertThat(LocalTerminal.parse("0 0")).isEmpty();
    assertThat(LocalTerminal.parse("")).isEmpty();
  }
}
