package dev.atoll.engine.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.engine.budget.FairBudget;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.MimeBundle;
import dev.atoll.model.RawJson;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is kept of runs: where it is, what pays for it, and what is told where there is no room. */
class KeptOutputTest {
  private static final RunEvent STARTED = new RunEvent.Started("run_1", 7);
  private static final byte[] BLOCK = "0123456789\n".repeat(4000).getBytes(StandardCharsets.UTF_8);

  @TempDir Path machine;
  private final FairBudget heap = new FairBudget(4 << 20);
  private final BudgetAccount memory = new BudgetAccount(heap, "project");

  private static RunEvent.End end() {
    return new RunEvent.End(RunStatus.OK, 0, null, 1, null, null, 0, null);
  }

  private RunLog log(BudgetAccount account) {
    RunLog log = new RunLog(Long.MAX_VALUE, () -> {}, Duration.ZERO, account);
    log.event(STARTED);
    return log;
  }

  private static void fill(RunLog log, int blocks) {
    for (int i = 0; i < blocks; i++) {
      assertThat(log.output(i % 2 == 1, (long) i * BLOCK.length, BLOCK)).isTrue();
    }
  }

  private static List<RunEvent> read(RunLog log, long from) {
    List<RunEvent> events = new ArrayList<>();
    try (LogReader reader = log.read(from)) {
      while (!reader.ended()) {
        RunEvent event = reader.next(Duration.ZERO);
        assertThat(event).isNotNull();
        events.add(event);
      }
    }
    return events;
  }

  private List<Path> files() throws IOException {
    Path folder = machine.resolve("runs");
    if (!Files.exists(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  @Test
  void anEndedRunIsOnDiskAndReadsAsBefore() throws IOException {
    RunLog log = log(memory);
    fill(log, 10);
    Map<String, Object> forms = new LinkedHashMap<>();
    forms.put("text/plain", "ü".repeat(20_000));
    forms.put("application/json", new RawJson("[[],[],{}]"));
    RunEvent shown = new RunEvent.Display(new MimeBundle(forms));
    log.result(shown, shown, 40_000);
    for (String state : List.of("1", "2")) {
      RunEvent bar = new RunEvent.Display(MimeBundle.ofText(state), "bar", true, null);
      log.result(bar, bar, 10);
    }
    log.end(end());
    List<RunEvent> before = read(log, 0);
    assertThat(before).contains(STARTED, shown, end());
    RunFiles files = new RunFiles(machine);
    assertThat(log.isToBeStored()).isTrue();
    log.store(files);
    assertThat(memory.held()).isZero();
    assertThat(files()).hasSize(1);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(files().getFirst())))
        .isEqualTo("rw-------");
    assertThat(read(log, 0)).isEqualTo(before);
    assertThat(read(log, 100_000).get(1)).isInstanceOf(RunEvent.Output.class);
    assertThat(memory.held()).isZero();
    log.discard();
    assertThat(files()).isEmpty();
    files.close();
  }

  @Test
  void whoReadsHasItInMemoryUntilHeIsDone() throws IOException {
    RunLog log = log(memory);
    fill(log, 4);
    log.end(end());
    RunFiles files = new RunFiles(machine);
    LogReader reader = log.read(0);
    assertThat(log.isToBeStored()).isFalse();
    log.store(files);
    assertThat(files()).isEmpty();
    reader.close();
    log.store(files);
    assertThat(files()).hasSize(1);
    LogReader late = log.read(0);
    assertThat(memory.held()).isPositive();
    late.close();
    late.close();
    assertThat(memory.held()).isZero();
    files.close();
  }

  @Test
  void outputThatFindsNoRoomIsToldAndARunGoesOn() {
    RunLog greedy = log(memory);
    RunLog poor = log(memory);
    while (memory.take(1000)) {
      assertThat(heap.held()).isLessThanOrEqualTo(heap.total());
    }
    fill(poor, 20);
    long written = 20L * BLOCK.length;
    greedy.end(end());
    poor.output(false, written, "x".getBytes(StandardCharsets.UTF_8));
    poor.end(end());
    long told = 0;
    for (RunEvent event : read(poor, 0)) {
      told += event instanceof RunEvent.Cut cut ? cut.bytes() : 0;
    }
    assertThat(told).isEqualTo(written);
    assertThat(read(poor, 0)).contains(new RunEvent.Stdout(written, "x", null));
  }

  @Test
  void readersAreToldOfOutputThatHadToGo() {
    FairBudget small = new FairBudget(400_000);
    BudgetAccount account = new BudgetAccount(small, "project");
    RunLog log = log(account);
    try (LogReader reader = log.read(0)) {
      assertThat(reader.next(Duration.ZERO)).isEqualTo(STARTED);
      for (int i = 0; i < 12; i++) {
        log.output(false, (long) i * BLOCK.length, BLOCK);
        assertThat(account.held()).isLessThanOrEqualTo(200_000);
      }
      log.end(end());
      long position = 0;
      while (!reader.ended()) {
        RunEvent event = reader.next(Duration.ZERO);
        switch (event) {
          case RunEvent.Cut cut -> {
            assertThat(cut.offset()).isEqualTo(position);
            position += cut.bytes();
          }
          case RunEvent.Stdout out -> {
            assertThat(out.offset()).isEqualTo(position);
            position += String.valueOf(out.text()).length();
          }
          case null, default -> {}
        }
      }
      assertThat(position).isEqualTo(12L * BLOCK.length);
    }
  }

  @Test
  void aShortAnswerAlwaysFindsRoom() {
    BudgetAccount nothing = new BudgetAccount(new FairBudget(0), "project");
    RunLog log = log(nothing);
    log.output(false, 0, "2\n".getBytes(StandardCharsets.UTF_8));
    log.end(end());
    assertThat(read(log, 0)).containsExactly(STARTED, new RunEvent.Stdout(0, "2\n", null), end());
  }

  @Test
  void aFileThatIsGoneOrDamagedIsToldAsOutputLeftOut() throws IOException {
    RunLog log = log(memory);
    fill(log, 4);
    log.end(end());
    RunFiles files = new RunFiles(machine);
    log.store(files);
    Files.writeString(files().getFirst(), "something else");
    RunEvent cut = new RunEvent.Cut(0, 4L * BLOCK.length);
    assertThat(read(log, 0)).containsExactly(STARTED, cut, end());
    Files.delete(files().getFirst());
    assertThat(read(log, 0)).containsExactly(STARTED, cut, end());
    assertThat(memory.held()).isZero();
    files.close();
  }

  @Test
  void filesOfAnEarlierServerAreRemoved() throws IOException {
    Path folder = Files.createDirectory(machine.resolve("runs"));
    Files.writeString(folder.resolve("0"), "old");
    RunFiles files = new RunFiles(machine);
    assertThat(files()).isEmpty();
    RunLog log = log(memory);
    fill(log, 4);
    log.end(end());
    log.store(files);
    assertThat(files()).hasSize(1);
    files.close();
  }

  @Test
  void aReaderForWhomThereIsNoRoomIsAskedToComeLater() {
    RunLog log = log(memory);
    fill(log, 20);
    log.end(end());
    RunFiles files = new RunFiles(machine);
    log.store(files);
    while (memory.take(1000)) {
      assertThat(heap.held()).isLessThanOrEqualTo(heap.total());
    }
    assertThatThrownBy(() -> log.read(0))
        .isInstanceOfSatisfying(
            AtollException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED));
    files.close();
  }

  @Test
  void resultsThatNobodyReadsTakeABoundedAmount() {
    RunLog log = log(memory);
    RunEvent shown = new RunEvent.Display(MimeBundle.ofText("x".repeat(900)));
    for (int i = 0; i < 50_000; i++) {
      log.result(shown, shown, 900);
    }
    assertThat(memory.held()).isLessThanOrEqualTo(heap.total());
    log.end(end());
    assertThat(read(log, 0)).hasSizeLessThan(5000);
    log.discard();
    assertThat(memory.held()).isZero();
  }
}
