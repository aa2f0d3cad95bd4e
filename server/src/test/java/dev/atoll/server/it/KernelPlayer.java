package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.RunError;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import dev.atoll.model.RunStatus;
import dev.atoll.sdk.RunStream;
import dev.atoll.sdk.Sandbox;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Plays a {@link KernelSession} in a sandbox and checks what comes of it. */
final class KernelPlayer {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final Sandbox sandbox;
  private final String language;

  KernelPlayer(Sandbox sandbox, String language) {
    this.sandbox = sandbox;
    this.language = language;
  }

  void play(KernelSession session, int number) {
    for (KernelSession.Step step : session.steps()) {
      switch (step) {
        case KernelSession.Restore _ -> sandbox.hibernate();
        case KernelSession.Cell cell ->
            check(session.name(), cell, language + number + cell.context());
      }
    }
    sandbox.contexts().list().forEach(context -> sandbox.contexts().remove(context.name()));
  }

  private void check(String session, KernelSession.Cell cell, String context) {
    ByteArrayOutputStream stdout = new ByteArrayOutputStream();
    AtomicBoolean interrupted = new AtomicBoolean(!cell.has("interrupt"));
    RunResult result =
        sandbox.runCode(
            cell.code(),
            c -> {
              c.language(language).context(context).timeout(TIMEOUT);
              cell.env().forEach(c::env);
              c.onEvent(
                  event -> {
                    if (event instanceof RunEvent.Stdout output) {
                      stdout.writeBytes(RunStream.bytes(output));
                      if (!interrupted.getAndSet(true)) {
                        sandbox.contexts().interrupt(context);
                      }
                    }
                  });
            });
    String code = cell.code().lines().limit(10).toList().toString();
    String what = "%s: %s: %s\n%s".formatted(language, session, code, shown(result));
    checkOutput(what, cell, stdout.toByteArray(), result);
    checkEnd(what, cell, result);
    checkError(what, cell, result.error());
  }

  private static String shown(RunResult result) {
    String text = result.toString();
    return text.length() > 3000 ? text.substring(0, 3000) + "…" : text;
  }

  private static void checkOutput(
      String what, KernelSession.Cell cell, byte[] stdout, RunResult result) {
    if (cell.has("stdout-length")) {
      assertThat(stdout.length + result.cutBytes())
          .as(what)
          .isEqualTo(Long.parseLong(Objects.requireNonNull(cell.argument("stdout-length"))));
    } else if (cell.has("stdout-hex")) {
      assertThat(HexFormat.of().formatHex(stdout)).as(what).isEqualTo(cell.text("stdout-hex"));
    } else {
      assertThat(KernelSession.trim(new String(stdout, StandardCharsets.UTF_8)))
          .as(what)
          .isEqualTo(cell.text("stdout"));
    }
    if (cell.has("stderr")) {
      assertThat(KernelSession.trim(result.stderr())).as(what).isEqualTo(cell.text("stderr"));
    }
    assertThat(result.text().orElse("")).as(what).isEqualTo(cell.text("value"));
  }

  private static void checkEnd(String what, KernelSession.Cell cell, RunResult result) {
    boolean fails = cell.has("error") || cell.has("exit");
    RunStatus wanted =
        cell.has("interrupt")
            ? RunStatus.INTERRUPTED
            : cell.has("died") ? RunStatus.KERNEL_DIED : fails ? RunStatus.ERROR : RunStatus.OK;
    assertThat(result.status()).as(what).isEqualTo(wanted);
    String exit = cell.argument("exit");
    if (exit != null) {
      assertThat(result.exitCode()).as(what).isEqualTo(Integer.parseInt(exit));
    }
  }

  private static void checkError(String what, KernelSession.Cell cell, @Nullable RunError error) {
    if (!cell.has("error")) {
      assertThat(error).as(what).isNull();
      return;
    }
    RunError told = Objects.requireNonNull(error, what);
    assertThat(told.name()).as(what).isEqualTo(cell.argument("error"));
    assertThat(told.value()).as(what).isEqualTo(cell.text("error"));
    if (cell.has("trace")) {
      assertThat(told.traceback())
          .as(what)
          .containsSubsequence(List.of(cell.text("trace").split("\n", -1)));
    }
    assertThat(String.join("\n", told.traceback()))
        .as(what)
        .doesNotContain("kernel", "/opt/atoll", "__atoll");
  }
}
