package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InterruptsTest {
  private final List<String> done = new ArrayList<>();
  private final Interrupts interrupts =
      new Interrupts(code -> done.add("exit " + code), code -> done.add("halt " + code));

  @Test
  void theFirstCancelsTheSecondExitsTheThirdHalts() {
    try (Interrupts.Guard _ = interrupts.guard(() -> done.add("cancel"))) {
      interrupts.interrupt();
      interrupts.interrupt();
      interrupts.interrupt();
    }
    assertThat(done).containsExactly("cancel", "exit 130", "halt 130");
  }

  @Test
  void stepsAreTakenOneAfterTheOther() {
    try (Interrupts.Guard _ =
        interrupts.guard(() -> done.add("interrupt"), () -> done.add("kill"))) {
      interrupts.interrupt();
      interrupts.interrupt();
      interrupts.interrupt();
    }
    assertThat(done).containsExactly("interrupt", "kill", "exit 130");
  }

  @Test
  void withoutARunTheFirstExits() {
    interrupts.guard(() -> done.add("cancel")).close();
    interrupts.interrupt();
    assertThat(done).containsExactly("exit 130");
  }

  private final Interrupts hasty =
      new Interrupts(
          code -> done.add("exit " + code), code -> done.add("halt " + code), Duration.ZERO);

  @Test
  void aTerminationEndsWhatRunsAndThenThis() {
    try (Interrupts.Guard _ = hasty.guard(() -> done.add("interrupt"), () -> done.add("kill"))) {
      hasty.atTheEnd(() -> done.add("terminate"), () -> done.add("kill"));
      hasty.terminate(15);
      hasty.terminate(15);
    }
    assertThat(done).containsExactly("terminate", "kill", "exit 143", "halt 143");
    assertThat(hasty.isTerminated()).isTrue();
    assertThat(hasty.status(0)).isEqualTo(143);
  }

  @Test
  void aHangUpWithoutARunEndsThis() {
    hasty.guard(() -> done.add("cancel")).close();
    hasty.terminate(1);
    assertThat(done).containsExactly("exit 129");
  }
}
