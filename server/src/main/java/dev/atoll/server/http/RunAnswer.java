package dev.atoll.server.http;

import dev.atoll.engine.Run;
import dev.atoll.engine.RunEvents;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import dev.atoll.model.RunStatus;
import java.io.IOException;
import java.time.Duration;
import org.eclipse.jetty.io.EofException;
import org.jspecify.annotations.Nullable;

/**
 * Gives a run to its caller: as a whole when it has ended, or event by event while it goes on.
 *
 * <p>The run waits for a caller who reads slowly. One who goes away ends it, unless it was to go on
 * without him; then it can be followed again from the offset that was seen last. An onlooker does
 * neither: he is told what he missed, and the run goes on.
 */
final class RunAnswer {
  /** A run that ends so soon is told in one piece: one write, and one wake-up of its caller. */
  private static final Duration AT_ONCE = Duration.ofMillis(3);

  private final Metrics metrics;
  private final Shutdown shutdown;

  RunAnswer(Metrics metrics, Shutdown shutdown) {
    this.metrics = metrics;
    this.shutdown = shutdown;
  }

  /** Answers in the form that the caller asked for. */
  void send(Exchange exchange, Run run, String kind) throws IOException {
    run.await(AT_ONCE);
    if (exchange.wantsStream()) {
      follow(exchange, run, 0, kind);
      return;
    }
    RunResult result = result(exchange, run);
    if (result == null) {
      return;
    }
    // The engine has let go of the run, which is not its end.
    if (result.status() == RunStatus.SANDBOX_DIED) {
      shutdown.check();
    }
    metrics.runEnded(kind, result.status(), result.durationMillis());
    exchange.json(200, result);
  }

  /** The whole; null when the caller has hung up before. */
  private @Nullable RunResult result(Exchange exchange, Run run) {
    RunResult result;
    try (CallerLine caller = new CallerLine(exchange)) {
      result = run.result(exchange.memory(), caller::isGone);
    }
    if (result == null) {
      run.abandon();
      exchange.abort(new EofException("the caller has hung up"));
    }
    return result;
  }

  /** Streams events from an offset of the output to the end, for the one whom it runs for. */
  void follow(Exchange exchange, Run run, long from, @Nullable String kind) throws IOException {
    NdjsonWriter writer;
    boolean there = false;
    try (Shutdown.Stream _ = shutdown.stream()) {
      try (CallerLine caller = new CallerLine(exchange);
          RunEvents events = run.hold(from)) {
        caller.waitForReader();
        writer = new NdjsonWriter(exchange);
        there = tell(exchange, writer, events, kind, caller);
      }
      writer.end();
    } finally {
      if (!there && !shutdown.begun()) {
        run.abandon();
      }
    }
  }

  /** Streams events from an offset of the output to the end, for anybody else. */
  void lookOn(Exchange exchange, Run run, long from) throws IOException {
    NdjsonWriter writer;
    try (Shutdown.Stream _ = shutdown.stream()) {
      try (CallerLine caller = new CallerLine(exchange);
          RunEvents events = run.events(from)) {
        writer = new NdjsonWriter(exchange);
        boolean _ = tell(exchange, writer, events, null, caller);
      }
      writer.end();
    }
  }

  /** Returns whether the caller is still there. */
  private boolean tell(
      Exchange exchange,
      NdjsonWriter writer,
      RunEvents events,
      @Nullable String kind,
      CallerLine caller)
      throws IOException {
    Silence silence = new Silence(exchange.config().pingInterval());
    while (!events.ended()) {
      RunEvent event = events.next(silence.atMost(Shutdown.TICK));
      if (shutdown.begun()) {
        break;
      }
      if (event == null) {
        if (caller.isGone()) {
          return false;
        }
        if (silence.tooLong()) {
          writer.add(new RunEvent.Ping());
          writer.flush();
          silence.broken();
        }
        continue;
      }
      gather(writer, events, event, kind);
      if (!events.ended()) {
        writer.flush();
      }
      silence.broken();
    }
    return true;
  }

  /** Counts a run that its caller has been told the end of. */
  void ended(String kind, RunEvent.End end) {
    metrics.runEnded(kind, end.status(), end.durationMillis());
  }

  /** Takes along what is there already, so that a burst of events leaves in one write. */
  private void gather(
      NdjsonWriter writer, RunEvents events, RunEvent first, @Nullable String kind) {
    RunEvent event = first;
    while (event != null) {
      writer.add(event);
      if (event instanceof RunEvent.End end && kind != null) {
        ended(kind, end);
      }
      event = writer.full() || events.ended() ? null : events.next(Duration.ZERO);
    }
  }
}
