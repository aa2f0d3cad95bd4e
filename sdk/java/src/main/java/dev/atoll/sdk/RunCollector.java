package dev.atoll.sdk;

import dev.atoll.model.MimeBundle;
import dev.atoll.model.RunError;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import dev.atoll.model.ShownDisplays;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Gathers the events of a run into its result. Output is decoded whole, as bytes may be split. */
final class RunCollector {
  private final String id;
  private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
  private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();
  private final ShownDisplays displays = new ShownDisplays();
  private @Nullable MimeBundle result;
  private @Nullable RunError error;
  private RunEvent.@Nullable End end;
  private long cutBytes;

  /** Where output came last: what is missing after it was most likely for there too. */
  private @Nullable ByteArrayOutputStream latest;

  /** Cut before any output came. */
  private long cutFirst;

  RunCollector(String id) {
    this.id = id;
  }

  void add(RunEvent event) {
    if (displays.clearedBy(event)) {
      clear();
    }
    if (event instanceof RunEvent.Stdout output) {
      append(stdout, RunStream.bytes(output));
    } else if (event instanceof RunEvent.Stderr output) {
      append(stderr, RunStream.bytes(output));
    } else if (event instanceof RunEvent.Cut cut) {
      cutBytes += cut.bytes();
      if (latest == null) {
        cutFirst += cut.bytes();
      } else {
        mark(latest, cut.bytes());
      }
    } else if (event instanceof RunEvent.Result value) {
      result = value.data();
    } else if (event instanceof RunEvent.Display display) {
      displays.add(display);
    } else if (event instanceof RunEvent.Failure failure) {
      error = failure.error();
    } else if (event instanceof RunEvent.End last) {
      end = last;
    }
  }

  /** The program has taken back what it had printed and shown. */
  private void clear() {
    stdout.reset();
    stderr.reset();
    displays.clear();
    latest = null;
    cutFirst = 0;
  }

  private void append(ByteArrayOutputStream to, byte[] bytes) {
    if (latest == null && cutFirst > 0) {
      mark(to, cutFirst);
    }
    latest = to;
    to.writeBytes(bytes);
  }

  RunResult result() {
    if (end == null) {
      throw new IllegalStateException("the end of the run was read before");
    }
    if (latest == null && cutFirst > 0) {
      mark(stdout, cutFirst);
      latest = stdout;
    }
    return new RunResult(
        id,
        end.status(),
        end.exitCode(),
        end.signal(),
        stdout.toString(StandardCharsets.UTF_8),
        stderr.toString(StandardCharsets.UTF_8),
        result,
        displays.bundles(),
        error,
        cutBytes,
        end.durationMillis(),
        end.cpuMillis(),
        end.maxRssBytes(),
        end.message());
  }

  private static void mark(ByteArrayOutputStream output, long bytes) {
    String text = "\n[" + bytes + " bytes of output left out]\n";
    output.writeBytes(text.getBytes(StandardCharsets.UTF_8));
  }
}
