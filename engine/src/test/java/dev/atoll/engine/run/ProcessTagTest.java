package dev.atoll.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Installer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProcessTagTest {
  private static ProcessTag tag(String argument) {
    return new ProcessTag(
        "run_abc1",
        true,
        false,
        Instant.ofEpochMilli(1234567890123L),
        99,
        1000,
        "web",
        null,
        Duration.ofSeconds(60),
        List.of("python3", argument));
  }

  @Test
  void anInstallationIsKnownAgain() {
    ProcessTag tag =
        new ProcessTag(
            "run_abc1",
            false,
            false,
            Instant.EPOCH,
            99,
            1000,
            null,
            Installer.NPM,
            null,
            List.of("sh"));
    assertThat(ProcessTag.decode(tag.encode())).isEqualTo(tag);
    assertThat(ProcessTag.decode(tag.encode().replace("i-npm", "i-other"))).isNull();
  }

  @Test
  void aTagComesBackAsItWas() {
    assertThat(ProcessTag.decode(tag("-m http.server").encode())).isEqualTo(tag("-m http.server"));
  }

  @Test
  void aLongCommandIsShortenedToWholeCharacters() {
    String encoded = tag("€".repeat(500)).encode();
    assertThat(encoded.getBytes(StandardCharsets.UTF_8).length).isBetween(250, 256);
    ProcessTag back = ProcessTag.decode(encoded);
    assertThat(back)
        .isNotNull()
        .satisfies(
            tag -> {
              assertThat(tag.runId()).isEqualTo("run_abc1");
              assertThat(tag.command().getLast()).matches("€+");
            });
  }

  @Test
  void whatIsNoTagIsNull() {
    assertThat(ProcessTag.decode("")).isNull();
    assertThat(ProcessTag.decode("run_a\u001fb\u001fp\u001fx\u001fy\u001fz\u001f\u001fc")).isNull();
  }

  @Test
  void anExecutionKnowsItsStartAndItsDeadlineAndOnlyGrows() {
    Instant now = Instant.ofEpochMilli(1_800_000_000_000L);
    Execution first = Execution.next(now, Duration.ofSeconds(30), 0);
    Execution second = Execution.next(now, Duration.ofMillis(10), first.number());
    assertThat(first.startedAt()).isEqualTo(now);
    assertThat(first.deadline()).isEqualTo(now.plusSeconds(30));
    assertThat(second.number()).isGreaterThan(first.number());
    assertThat(first.number()).isPositive();
  }

  @Test
  void timesThatCannotBeCountedWithAreNoneOfOurs() {
    for (String time :
        List.of("-1", Long.toString(Long.MIN_VALUE), Long.toString(Long.MAX_VALUE))) {
      String started = String.join("\u001f", "run_1", "b", "p", time, "0", "1", "n", "c");
      String deadline = String.join("\u001f", "run_1", "b", "p", "1", time, "1", "n", "c");
      assertThat(ProcessTag.decode(started)).isNull();
      assertThat(ProcessTag.decode(deadline)).isNull();
    }
  }
}
