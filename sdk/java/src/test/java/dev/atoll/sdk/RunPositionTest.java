package dev.atoll.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.MimeBundle;
import dev.atoll.model.RunEvent;
import org.junit.jupiter.api.Test;

class RunPositionTest {
  private static final RunEvent SHOWN = new RunEvent.Display(MimeBundle.ofText("x"));

  private final RunPosition position = new RunPosition(0);

  @Test
  void outputThatOverlapsIsTrimmedToItsNewPart() {
    position.advance(new RunEvent.Stdout(0, "abc", null));
    position.reconnected();
    assertThat(position.advance(new RunEvent.Stdout(0, "abc", null))).isNull();
    assertThat(position.advance(new RunEvent.Stderr(1, "bcde", null)))
        .isEqualTo(new RunEvent.Stderr(3, "de", null));
    assertThat(position.offset()).isEqualTo(5);
  }

  @Test
  void bytesAreTrimmedToo() {
    position.advance(new RunEvent.Stdout(0, null, "/w=="));
    position.reconnected();
    assertThat(position.advance(new RunEvent.Stdout(0, null, "//4=")))
        .isEqualTo(new RunEvent.Stdout(1, null, "/g=="));
  }

  @Test
  void equalEventsInARowAreEachHandedOutOnce() {
    position.advance(new RunEvent.Stdout(0, "a", null));
    assertThat(position.advance(SHOWN)).isNotNull();
    assertThat(position.advance(SHOWN)).isNotNull();
    position.reconnected();
    assertThat(position.advance(SHOWN)).isNull();
    assertThat(position.advance(SHOWN)).isNull();
    assertThat(position.advance(SHOWN)).isNotNull();
  }

  @Test
  void whatTheServerLeavesOutSinceItWasReplacedIsNotMissed() {
    RunEvent first = new RunEvent.Display(MimeBundle.ofText("1"), "bar", true, null);
    RunEvent second = new RunEvent.Display(MimeBundle.ofText("2"), "bar", true, null);
    position.advance(first);
    position.advance(SHOWN);
    position.reconnected();
    assertThat(position.advance(SHOWN)).isNull();
    assertThat(position.advance(second)).isEqualTo(second);
  }

  @Test
  void aServerThatSendsEverythingAgainIsToldByItsStart() {
    RunEvent started = new RunEvent.Started("run_1", 1);
    position.advance(started);
    position.advance(SHOWN);
    position.advance(new RunEvent.Stdout(0, "a", null));
    position.advance(SHOWN);
    position.reconnected();
    assertThat(position.advance(started)).isNull();
    assertThat(position.advance(SHOWN)).isNull();
    assertThat(position.advance(SHOWN)).isNull();
    assertThat(position.advance(SHOWN)).isNotNull();
  }

  @Test
  void aCutIsToldOnceAndCountsAsRead() {
    RunEvent cut = new RunEvent.Cut(1, 9);
    position.advance(new RunEvent.Stdout(0, "a", null));
    assertThat(position.advance(cut)).isEqualTo(cut);
    assertThat(position.offset()).isEqualTo(10);
    position.reconnected();
    assertThat(position.advance(cut)).isNull();
  }

  @Test
  void theStartIsToldOnce() {
    RunEvent started = new RunEvent.Started("run_1", 1);
    assertThat(position.advance(started)).isNotNull();
    position.reconnected();
    assertThat(position.advance(started)).isNull();
  }
}
