package dev.atoll.engine.run;

import dev.atoll.engine.RunEvents;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.MimeBundle;
import dev.atoll.model.RunError;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Gathers the events of a run into one result; a marker stands where output was cut. */
final class ResultCollector {
  private static final Duration TICK = Duration.ofSeconds(30);

  private final StringBuilder stdout = new StringBuilder();
  private final StringBuilder stderr = new StringBuilder();
  private final List<MimeBundle> displays = new ArrayList<>();
  private @Nullable MimeBundle result;
  private @Nullable RunError error;
  private long cut;

  private ResultCollector() {}

  /** Reads to the end. */
  static RunResult collect(String id, RunEvents events) {
    ResultCollector collector = new ResultCollector();
    while (true) {
      RunEvent event = events.next(TICK);
      if (event instanceof RunEvent.End end) {
        return collector.finish(id, end);
      }
      if (event != null) {
        collector.add(event);
      } else if (Thread.currentThread().isInterrupted()) {
        throw new AtollException(ErrorCode.SHUTTING_DOWN, "interrupted while waiting for a run");
      }
    }
  }

  private void add(RunEvent event) {
    switch (event) {
      case RunEvent.Stdout out -> stdout.append(text(out));
      case RunEvent.Stderr err -> stderr.append(text(err));
      case RunEvent.Cut gap -> {
        cut += gap.bytes();
        stdout.append("\n[atoll: ").append(gap.bytes()).append(" bytes of output left out]\n");
      }
      case RunEvent.Result value -> result = value.data();
      case RunEvent.Display shown -> displays.add(shown.data());
      case RunEvent.Failure failure -> error = failure.error();
      case RunEvent.Started ignored -> {}
      case RunEvent.Packages ignored -> {}
      case RunEvent.Ping ignored -> {}
      case RunEvent.Compiled ignored -> {}
      case RunEvent.End ignored -> {}
    }
  }

  private static String text(RunEvent.Output output) {
    String text = output.text();
    String base64 = output.base64();
    if (text != null) {
      return text;
    }
    return base64 == null
        ? ""
        : new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
  }

  private RunResult finish(String id, RunEvent.End end) {
    return new RunResult(
        id,
        end.status(),
        end.exitCode(),
        end.signal(),
        stdout.toString(),
        stderr.toString(),
        result,
        displays,
        error,
        cut,
        end.durationMillis(),
        end.cpuMillis(),
        end.maxRssBytes(),
        end.message());
  }
}
