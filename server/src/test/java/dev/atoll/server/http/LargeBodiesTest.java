package dev.atoll.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LargeBodiesTest {
  private static final long LARGE = 8 << 20;

  private final LargeBodies bodies = new LargeBodies();

  @Test
  void aProjectReadsOneAtATimeAndFewWait() throws InterruptedException {
    AtomicInteger read = new AtomicInteger();
    List<Thread> waiting = new ArrayList<>();
    try (LargeBodies.Turn first = bodies.of("a")) {
      first.reached(LARGE);
      first.reached(LARGE);
      for (int i = 0; i < 4; i++) {
        Thread thread =
            Thread.ofVirtual()
                .start(
                    () -> {
                      try (LargeBodies.Turn turn = bodies.of("a")) {
                        turn.reached(LARGE);
                        read.incrementAndGet();
                      }
                    });
        waiting.add(thread);
        await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
      }
      try (LargeBodies.Turn tooMany = bodies.of("a")) {
        assertThatThrownBy(() -> tooMany.reached(LARGE))
            .isInstanceOfSatisfying(
                AtollException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED));
      }
      assertThat(read).hasValue(0);
    }
    for (Thread thread : waiting) {
      thread.join();
    }
    assertThat(read).hasValue(4);
  }

  @Test
  void smallOnesAndOtherProjectsDoNotWait() {
    try (LargeBodies.Turn first = bodies.of("a");
        LargeBodies.Turn small = bodies.of("a");
        LargeBodies.Turn other = bodies.of("b")) {
      first.reached(LARGE);
      small.reached(1000);
      other.reached(LARGE);
      assertThat(first).isNotSameAs(other);
    }
  }
}
