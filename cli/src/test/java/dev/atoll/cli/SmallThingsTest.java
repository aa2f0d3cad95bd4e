package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.TerminalSize;
import dev.atoll.model.Visible;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
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

  @Test
  void bytesAreBrief() {
    assertThat(Bytes.brief(0)).isEqualTo("0 B");
    assertThat(Bytes.brief(1023)).isEqualTo("1023 B");
    assertThat(Bytes.brief(1536)).isEqualTo("1.5 KiB");
    assertThat(Bytes.brief(1_048_575)).isEqualTo("1.0 MiB");
    assertThat(Bytes.brief(123L << 30)).isEqualTo("123 GiB");
  }

  @Test
  void controlCharactersAreShownNotDone() {
    assertThat(Visible.line("a\u001b[31m\r\nb")).isEqualTo("a^[[31m^M^Jb");
    assertThat(Visible.line("a\u202eb\u0085\u007f é😀")).isEqualTo("a?b?? é😀");
    assertThat(Visible.line("  a \n b  ", 10)).isEqualTo("a b");
    assertThat(Visible.line("0123456789abc", 10)).isEqualTo("0123456...");
  }

  @Test
  void tablesAndMessagesDoNothingToATerminal() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Stdio stdio =
        new Stdio(
            InputStream.nullInputStream(),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            true,
            true,
            Map.of("NO_COLOR", "1"));
    Table table = new Table("NAME");
    table.row("a\u001b]52;c;AAAA\u0007\nforged");
    table.print(stdio);
    stdio.message("\u001b[2Jfirst\nsecond\u202e");
    assertThat(out.toString(StandardCharsets.UTF_8).lines())
        .containsExactly("NAME", "a^[]52;c;AAAA^G^Jforged");
    assertThat(err.toString(StandardCharsets.UTF_8).lines())
        .containsExactly("atoll: ^[[2Jfirst", "second?");
  }
}
