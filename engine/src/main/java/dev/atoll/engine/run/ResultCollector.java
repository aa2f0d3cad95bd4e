package dev.atoll.engine.run;

import dev.atoll.engine.RunEvents;
import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.MimeBundle;
import dev.atoll.model.RunError;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import dev.atoll.model.ShownDisplays;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Gathers the events of a run into one result; a marker stands where output was cut. */
final class ResultCollector {
  private static final Duration TICK = Duration.ofMillis(500);

  private final StringBuilder stdout = new StringBuilder();
  private final StringBuilder stderr = new StringBuilder();
  private final ShownDisplays displays = new ShownDisplays();
  private @Nullable MimeBundle result;
  private @Nullable RunError error;
  private long cut;
  private long leftOut;

  /** Where output came last: what is missing after it was most likely for there too. */
  private @Nullable StringBuilder latest;

  /** Cut before any output came. */
  private long cutFirst;

  private final BudgetAccount memory;

  /** For what can be taken back. */
  private long paid;

  private ResultCollector(BudgetAccount memory) {
    this.memory = memory;
  }

  /** Reads to the end; null when it is not wanted any more. */
  static @Nullable RunResult collect(
      String id, RunEvents events, BudgetAccount memory, BooleanSupplier unwanted) {
    ResultCollector collector = new ResultCollector(memory);
    while (true) {
      RunEvent event = events.next(TICK);
      if (event instanceof RunEvent.End end) {
        return collector.finish(id, end);
      }
      if (event != null) {
        collector.add(event);
      } else if (unwanted.getAsBoolean()) {
        return null;
      } else if (Thread.currentThread().isInterrupted()) {
        throw new AtollException(ErrorCode.SHUTTING_DOWN, "interrupted while waiting for a run");
      }
    }
  }

  private void add(RunEvent event) {
    if (displays.clearedBy(event)) {
      clear();
    }
    switch (event) {
      case RunEvent.Stdout out -> append(stdout, text(out));
      case RunEvent.Stderr err -> append(stderr, text(err));
      case RunEvent.Cut gap -> {
        tellLeftOut();
        cut += gap.bytes();
        tell(gap.bytes());
      }
      case RunEvent.Result value -> result = affordable(value.data());
      case RunEvent.Display shown -> displays.add(shown.with(affordable(shown.data())));
      case RunEvent.Failure failure -> error = failure.error();
      case RunEvent.Started ignored -> {}
      case RunEvent.Packages ignored -> {}
      case RunEvent.InputRequest ignored -> {}
      case RunEvent.Ping ignored -> {}
      case RunEvent.Compiled ignored -> {}
      case RunEvent.End ignored -> {}
    }
  }

  /** The program has taken back what it had printed and shown. */
  private void clear() {
    cut += leftOut;
    leftOut = 0;
    cutFirst = 0;
    latest = null;
    stdout.setLength(0);
    stderr.setLength(0);
    displays.clear();
    memory.give(paid);
    paid = 0;
  }

  private boolean pay(long bytes) {
    boolean enough = memory.take(bytes);
    paid += enough ? bytes : 0;
    return enough;
  }

  /** What the project has no memory for is left out, as what is beyond the run's limit is. */
  private void append(StringBuilder to, String text) {
    boolean affordable = pay(weight(text));
    if (affordable) {
      tellLeftOut();
    }
    if (latest == null && cutFirst > 0) {
      mark(to, cutFirst);
    }
    latest = to;
    if (affordable) {
      to.append(text);
    } else {
      leftOut += text.getBytes(StandardCharsets.UTF_8).length;
    }
  }

  private MimeBundle affordable(MimeBundle bundle) {
    return pay(3L * bundle.length()) ? bundle : BundleReader.leftOut(bundle);
  }

  /** As text, and twice while it is written as JSON. */
  private static long weight(String text) {
    long json = text.length();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      json += c >= ' ' && c != '"' && c != '\\' && c < 0x80 ? 0 : c < ' ' && c != '\n' ? 5 : 2;
    }
    return text.length() + 2 * json;
  }

  private void tellLeftOut() {
    if (leftOut > 0) {
      cut += leftOut;
      tell(leftOut);
      leftOut = 0;
    }
  }

  private void tell(long bytes) {
    if (latest == null) {
      cutFirst += bytes;
    } else {
      mark(latest, bytes);
    }
  }

  private static void mark(StringBuilder text, long bytes) {
    text.append("\n[atoll: ").append(bytes).append(" bytes of output left out]\n");
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
    tellLeftOut();
    if (latest == null && cutFirst > 0) {
      mark(stdout, cutFirst);
    }
    return new RunResult(
        id,
        end.status(),
        end.exitCode(),
        end.signal(),
        stdout.toString(),
        stderr.toString(),
        result,
        displays.bundles(),
        error,
        cut,
        end.durationMillis(),
        end.cpuMillis(),
        end.maxRssBytes(),
        end.message());
  }
}
