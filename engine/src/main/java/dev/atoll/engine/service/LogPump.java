package dev.atoll.engine.service;

import dev.atoll.engine.Run;
import dev.atoll.engine.RunEvents;
import dev.atoll.engine.template.LineSplitter;
import dev.atoll.model.RunEvent;
import dev.atoll.model.ServiceLogLine;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Brings what one program writes into the log of its service. For one thread. */
final class LogPump {
  private static final Duration TICK = Duration.ofSeconds(1);

  private final ServiceLog log;
  private final String sandbox;
  private final int revision;
  private final Run run;
  private final List<ServiceLog.Entry> gathered = new ArrayList<>();
  private final LineSplitter stdout = new LineSplitter(line -> gather("stdout", line));
  private final LineSplitter stderr = new LineSplitter(line -> gather("stderr", line));
  private final Consumer<String> listener;
  private long end;

  /**
   * @param listener told of every line, too
   */
  LogPump(ServiceLog log, String sandbox, int revision, Run run, Consumer<String> listener) {
    this.log = log;
    this.sandbox = sandbox;
    this.revision = revision;
    this.run = run;
    this.listener = listener;
    this.end = log.end(sandbox, run.id());
  }

  /** Goes on to the end of the program, or until it is told to stop; null then. */
  RunEvent.@Nullable End pump(BooleanSupplier stopped) {
    try (RunEvents events = run.events(end)) {
      while (!stopped.getAsBoolean() && !Thread.currentThread().isInterrupted()) {
        RunEvent event = events.next(TICK);
        if (event instanceof RunEvent.Output output) {
          take(output);
        } else if (event == null || event instanceof RunEvent.End) {
          // What is no whole line after a while is told as it is.
          stdout.end();
          stderr.end();
        }
        flush();
        if (event instanceof RunEvent.End over) {
          return over;
        }
      }
      return null;
    }
  }

  private void take(RunEvent.Output output) {
    end = output.offset() + length(output);
    if (output instanceof RunEvent.Stderr) {
      stderr.add(output);
    } else {
      stdout.add(output);
    }
  }

  private static int length(RunEvent.Output output) {
    String text = output.text();
    return text == null
        ? Base64.getDecoder().decode(String.valueOf(output.base64())).length
        : text.getBytes(StandardCharsets.UTF_8).length;
  }

  private void gather(String stream, String line) {
    gathered.add(
        new ServiceLog.Entry(
            new ServiceLogLine(Instant.now(), sandbox, revision, stream, line), run.id(), end));
    listener.accept(line);
  }

  private void flush() {
    if (!gathered.isEmpty()) {
      log.add(List.copyOf(gathered));
      gathered.clear();
    }
  }
}
