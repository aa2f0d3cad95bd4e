package dev.atoll.engine.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.engine.budget.FairBudget;
import dev.atoll.model.MimeBundle;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunStatus;
import dev.atoll.protocol.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunLogTest {
  private static final Duration NOW = Duration.ZERO;

  private final BudgetAccount memory = new BudgetAccount(new FairBudget(1L << 30), "project");

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static RunEvent.End end() {
    return new RunEvent.End(RunStatus.OK, 0, null, 1, null, null, 0, null);
  }

  private static List<RunEvent> drain(LogReader reader) {
    List<RunEvent> events = new ArrayList<>();
    for (RunEvent event = reader.next(NOW); event != null; event = reader.next(NOW)) {
      events.add(event);
    }
    return events;
  }

  @Test
  void aCharacterSplitBetweenTwoWritesIsGivenWhole() {
    RunLog log = new RunLog(1000, () -> {}, Duration.ZERO, memory);
    byte[] euro = bytes("€");
    log.output(false, 0, new byte[] {euro[0]});
    LogReader reader = log.read(0);
    assertThat(reader.next(NOW)).isNull();
    log.output(false, 1, new byte[] {euro[1], euro[2]});
    assertThat(drain(reader)).containsExactly(new RunEvent.Stdout(0, "€", null));
  }

  @Test
  void outputThatIsNotTextIsBase64() {
    RunLog log = new RunLog(1000, () -> {}, Duration.ZERO, memory);
    log.output(true, 0, new byte[] {(byte) 0xff, (byte) 0xfe, 'a'});
    log.end(end());
    assertThat(drain(log.read(0)).getFirst()).isEqualTo(new RunEvent.Stderr(0, null, "//5h"));
  }

  @Test
  void aRepetitionIsLeftOutAndAGapIsNoted() {
    RunLog log = new RunLog(1000, () -> {}, Duration.ZERO, memory);
    log.output(false, 0, bytes("hello"));
    log.output(false, 3, bytes("lo world"));
    log.output(false, 20, bytes("!"));
    log.end(end());
    assertThat(drain(log.read(0)))
        .containsExactly(
            new RunEvent.Stdout(0, "hello world", null),
            new RunEvent.Cut(11, 9),
            new RunEvent.Stdout(20, "!", null),
            end());
  }

  @Test
  void outputOverTheLimitIsCountedAndDropped() {
    RunLog log = new RunLog(5, () -> {}, Duration.ZERO, memory);
    assertThat(log.output(false, 0, bytes("hello world"))).isTrue();
    log.end(end());
    assertThat(drain(log.read(0)))
        .containsExactly(new RunEvent.Stdout(0, "hello", null), new RunEvent.Cut(5, 6), end());
    assertThat(log.outputBytes()).isEqualTo(11);
  }

  @Test
  void withoutReadersTheNewestOutputIsKept() {
    RunLog log = new RunLog(Long.MAX_VALUE, () -> {}, Duration.ZERO, memory);
    byte[] block = bytes("x".repeat(50_000));
    long offset = 0;
    for (int i = 0; i < 60; i++) {
      assertThat(log.output(false, offset, block)).isTrue();
      offset += block.length;
    }
    log.end(end());
    List<RunEvent> events = drain(log.read(0));
    assertThat(events.getFirst()).isInstanceOf(RunEvent.Cut.class);
    long kept = 0;
    long first = -1;
    for (RunEvent event : events) {
      if (event instanceof RunEvent.Stdout out) {
        first = first < 0 ? out.offset() : first;
        kept += String.valueOf(out.text()).length();
      }
    }
    assertThat(kept).isBetween(RunLog.RETAINED / 2L, RunLog.RETAINED + 100_000L);
    assertThat(first + kept).isEqualTo(offset);
    assertThat(events.getFirst()).isEqualTo(new RunEvent.Cut(0, first));
  }

  @Test
  void aSlowReaderHoldsTheGuestBackAndLosesNothing() {
    List<String> granted = new ArrayList<>();
    RunLog log = new RunLog(Long.MAX_VALUE, () -> granted.add("room"), Duration.ZERO, memory);
    LogReader reader = log.read(0);
    byte[] block = bytes("y".repeat(60_000));
    long offset = 0;
    boolean room = true;
    while (room) {
      room = log.output(false, offset, block);
      offset += block.length;
    }
    assertThat(offset).isGreaterThanOrEqualTo(RunLog.RETAINED / 2);
    granted.clear();
    long read = 0;
    for (RunEvent event : drain(reader)) {
      assertThat(event).isInstanceOf(RunEvent.Stdout.class);
      if (event instanceof RunEvent.Stdout out) {
        read += String.valueOf(out.text()).length();
      }
    }
    assertThat(read).isEqualTo(offset);
    assertThat(granted).isNotEmpty();
  }

  @Test
  void aLimitThatIsReachedNeverHoldsTheGuestBack() {
    RunLog log = new RunLog(1000, () -> {}, Duration.ZERO, memory);
    LogReader reader = log.read(0);
    byte[] block = bytes("z".repeat(60_000));
    for (int i = 0; i < 100; i++) {
      assertThat(log.output(false, i * 60_000L, block)).isTrue();
    }
    reader.close();
  }

  @Test
  void stoppingARunTakesItsOutputAtOnce() {
    RunLog log = new RunLog(Long.MAX_VALUE, () -> {}, Duration.ZERO, memory);
    LogReader reader = log.read(0);
    byte[] block = bytes("y".repeat(60_000));
    long offset = 0;
    while (log.output(false, offset, block)) {
      offset += block.length;
    }
    log.drain();
    assertThat(log.output(false, offset + block.length, block)).isTrue();
    reader.close();
  }

  @Test
  void nothingFollowsTheEnd() {
    RunLog log = new RunLog(1000, () -> {}, Duration.ZERO, memory);
    log.end(end());
    log.event(new RunEvent.Ping());
    log.end(new RunEvent.End(RunStatus.ERROR, 1, null, 1, null, null, 0, null));
    LogReader reader = log.read(0);
    assertThat(drain(reader)).containsExactly(end());
    assertThat(reader.ended()).isTrue();
  }

  /** Who starts a program reads it a moment later, however much it has written by then. */
  @Test
  void theFirstReaderMissesNothing() {
    RunLog log = new RunLog(Long.MAX_VALUE, () -> {}, Duration.ofMinutes(1), memory);
    byte[] block = new byte[RunLog.RETAINED / 4];
    boolean room = true;
    int written = 0;
    while (room) {
      room = log.output(false, written, block);
      written += block.length;
    }
    assertThat(written).isLessThanOrEqualTo(RunLog.RETAINED);
    LogReader reader = log.read(0);
    log.roomMayHaveCome();
    long seen = 0;
    while (seen < written) {
      assertThat(reader.next(Duration.ZERO)).isInstanceOf(RunEvent.Output.class);
      seen = reader.position();
    }
  }

  private static RunEvent shown(String text) {
    return new RunEvent.Display(MimeBundle.ofText(text));
  }

  private static RunEvent replacing(String text) {
    return new RunEvent.Display(MimeBundle.ofText(text), "bar", true, null);
  }

  @Test
  void whatIsReplacedAgainAndAgainTakesRoomOnce() {
    RunLog log = new RunLog(1000, () -> {}, Duration.ZERO, memory);
    LogReader late = log.read(0);
    log.result(shown("first"), shown("first"), 100);
    for (int i = 0; i <= 1000; i++) {
      log.result(replacing("state " + i), shown("instead"), ShownResults.MOST / 3);
    }
    log.result(shown("after"), shown("instead"), 100);
    assertThat(late.next(Duration.ZERO)).isEqualTo(shown("first"));
    assertThat(late.next(Duration.ZERO)).isEqualTo(replacing("state 1000"));
    assertThat(late.next(Duration.ZERO)).isEqualTo(shown("after"));
  }

  @Test
  void aRunThatShowsTooMuchIsToldSoOnce() {
    RunLog log = new RunLog(1000, () -> {}, Duration.ZERO, memory);
    LogReader reader = log.read(0);
    int third = ShownResults.MOST / 3;
    for (String text : List.of("1", "2", "3", "4", "5")) {
      log.result(shown(text), shown("instead of " + text), third);
    }
    RunEvent value = new RunEvent.Result(MimeBundle.ofText("value"));
    log.result(value, value, third);
    log.end(end());
    assertThat(drain(reader))
        .containsExactly(shown("1"), shown("2"), shown("instead of 3"), value, end());
  }

  @Test
  void onlyTheNewestResultsAreKeptForLateReadersAndNoRoomIsLost() {
    RunLog log = new RunLog(1000, () -> {}, Duration.ZERO, memory);
    LogReader reader = log.read(0);
    for (String text : List.of("1", "2", "3")) {
      log.result(shown(text), shown("instead of " + text), RunLog.RETAINED / 2);
    }
    log.end(end());
    assertThat(drain(reader)).containsExactly(shown("1"), shown("2"), shown("3"), end());
    reader.close();
    LogReader late = log.read(0);
    assertThat(drain(late))
        .containsExactly(shown("instead of 1"), shown("instead of 2"), shown("3"), end());
    late.close();
    log.discard();
    assertThat(memory.held()).isZero();
  }

  @Test
  void outputFullOfGapsIsAnErrorOfTheProtocol() {
    RunLog log = new RunLog(Long.MAX_VALUE, () -> {}, Duration.ZERO, memory);
    assertThatThrownBy(
            () -> {
              for (int i = 1; i < 100_000; i++) {
                log.output(false, 2L * i, new byte[0]);
              }
            })
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("gaps");
  }

  @Test
  void offsetsThatCannotBeAreErrorsOfTheProtocol() {
    for (long offset : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE}) {
      RunLog log = new RunLog(Long.MAX_VALUE, () -> {}, Duration.ZERO, memory);
      assertThatThrownBy(() -> log.output(false, offset, bytes("x")))
          .isInstanceOf(ProtocolException.class);
    }
  }

  @Test
  void manySmallPiecesTakeNoMoreMemoryThanALargeOne() {
    RunLog log = new RunLog(Long.MAX_VALUE, () -> {}, Duration.ZERO, memory);
    for (int i = 0; i < 200_000; i++) {
      log.output(i % 2 == 0, i, bytes("x"));
    }
    log.end(end());
    assertThat(drain(log.read(0))).hasSizeLessThan(RunLog.RETAINED / LogItem.COST + 10);
  }

  @Test
  void whatComesAfterTheEndIsDropped() {
    RunLog log = new RunLog(1000, () -> {}, Duration.ZERO, memory);
    log.output(false, 0, bytes("a"));
    log.end(end());
    log.output(false, 1, bytes("late"));
    assertThat(drain(log.read(0))).doesNotContain(new RunEvent.Stdout(1, "late", null));
    assertThat(log.outputBytes()).isEqualTo(1);
  }

  /** Writes blocks until the guest is held back; returns where it has come to. */
  private static long writeWhileAllowed(RunLog log, long from) {
    byte[] block = bytes("z".repeat(60_000));
    long offset = from;
    boolean room = true;
    while (room && offset - from < 8L * RunLog.RETAINED) {
      room = log.output(false, offset, block);
      offset += block.length;
    }
    return offset;
  }

  private static long length(List<RunEvent> events) {
    return events.stream()
        .filter(RunEvent.Stdout.class::isInstance)
        .mapToLong(event -> String.valueOf(((RunEvent.Stdout) event).text()).length())
        .sum();
  }

  @Test
  void aReaderThatHoldsIsWaitedForWhenPatienceIsOver() {
    RunLog log = new RunLog(Long.MAX_VALUE, () -> {}, Duration.ZERO, memory, Duration.ZERO);
    LogReader reader = log.hold(0);
    long written = writeWhileAllowed(log, 0);
    assertThat(written).isLessThan(RunLog.RETAINED);
    log.end(end());
    List<RunEvent> events = drain(reader);
    assertThat(events).noneMatch(RunEvent.Cut.class::isInstance);
    assertThat(length(events)).isEqualTo(written);
  }

  @Test
  void anOnlookerIsNotWaitedForWhenPatienceIsOver() {
    RunLog log = new RunLog(Long.MAX_VALUE, () -> {}, Duration.ZERO, memory, Duration.ZERO);
    LogReader reader = log.read(0);
    assertThat(writeWhileAllowed(log, 0)).isGreaterThanOrEqualTo(8L * RunLog.RETAINED);
    assertThat(reader.next(NOW)).isInstanceOf(RunEvent.Cut.class);
  }

  @Test
  void anOnlookerDoesNotTakeThePlaceOfTheOneWhoHolds() {
    RunLog log = RunLog.awaitingHolder(Long.MAX_VALUE, () -> {}, Duration.ofHours(1), memory);
    LogReader onlooker = log.read(0);
    long written = writeWhileAllowed(log, 0);
    assertThat(length(drain(onlooker))).isEqualTo(written);
    assertThat(log.output(false, written, bytes("!"))).isFalse();
    LogReader holder = log.hold(0);
    assertThat(length(drain(holder))).isEqualTo(written + 1);
    assertThat(log.output(false, written + 1, bytes("!"))).isTrue();
  }

  @Test
  void whatAGuestMaySendIsPaidAheadAndNotAllowedWithoutRoom() {
    FairBudget small = new FairBudget(4L * RunLog.WINDOW);
    BudgetAccount own = new BudgetAccount(small, "project");
    RunLog log = new RunLog(Long.MAX_VALUE, () -> {}, Duration.ZERO, own);
    LogReader reader = log.hold(0);
    assertThat(own.held()).isZero();
    byte[] block = bytes("z".repeat(60_000));
    assertThat(log.output(false, 0, block)).isTrue();
    long held = own.held();
    assertThat(held).isGreaterThan(RunLog.WINDOW);
    BudgetAccount others = new BudgetAccount(small, "project");
    assertThat(others.take(small.share("project"))).isTrue();
    // What was paid ahead is used up, though never beyond it.
    assertThat(log.output(false, block.length, block)).isFalse();
    assertThat(own.held()).isEqualTo(held);
    long written = 2L * block.length;
    assertThat(length(drain(reader))).isEqualTo(written);
    // What was read makes room, and so does what others give back.
    others.giveAll();
    assertThat(log.output(false, written, bytes("!"))).isTrue();
    log.end(end());
    assertThat(drain(reader)).containsExactly(new RunEvent.Stdout(written, "!", null), end());
    reader.close();
    log.discard();
    assertThat(own.held()).isZero();
  }

  @Test
  void aRunIsForsakenWhenTheOneWhoHeldHasNotComeBackInTime() {
    RunLog log = RunLog.awaitingHolder(Long.MAX_VALUE, () -> {}, Duration.ofHours(1), memory);
    assertThat(log.isForsaken()).isFalse();
    LogReader holder = log.hold(0);
    holder.close();
    // The server goes down, and the caller comes back to the next one.
    assertThat(log.isForsaken()).isFalse();
    log.abandoned(Duration.ofHours(1));
    assertThat(log.isForsaken()).isFalse();
    log.abandoned(Duration.ZERO);
    assertThat(log.isForsaken()).isTrue();
    LogReader again = log.hold(0);
    assertThat(log.isForsaken()).isFalse();
    again.close();
    log.abandoned(Duration.ZERO);
    log.end(end());
    assertThat(log.isForsaken()).isFalse();
  }

  @Test
  void whatIsToldInsteadOfResultsIsBounded() {
    BudgetAccount none = new BudgetAccount(new FairBudget(0), "project");
    RunLog log = new RunLog(1000, () -> {}, Duration.ofHours(1), none);
    RunEvent instead = new RunEvent.Result(MimeBundle.ofText("left out"));
    for (int i = 0; i < 1000; i++) {
      log.result(new RunEvent.Result(MimeBundle.ofText("x".repeat(1000))), instead, 1000);
    }
    assertThat(drain(log.read(0))).hasSizeBetween(1, ShownResults.MOST_NOTICES);
  }
}
