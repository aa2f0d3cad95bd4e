package dev.atoll.server.http;

import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Sends what a task tells while it works, one line each, with pings in between.
 *
 * <p>The task has a thread of its own. One whose caller reads slowly waits for him; when he has
 * gone, or the server stops, it is told to stop, and what it still says is dropped.
 */
final class TaskFeed {
  private static final int LINES = 8;

  /** What the lines that wait for a slow caller may take. */
  private static final long WAITING = LINES * (64L << 10);

  private static final long TICK_MILLIS = Shutdown.TICK.toMillis();

  private final Exchange exchange;
  private final Shutdown shutdown;
  private final BlockingQueue<Object> lines = new LinkedBlockingQueue<>(LINES);
  private volatile boolean stopped;

  /** Behind the last line. */
  private record End() {}

  TaskFeed(Exchange exchange, Shutdown shutdown) {
    this.exchange = exchange;
    this.shutdown = shutdown;
  }

  /**
   * Runs the task to its end.
   *
   * @param ping the line that says nothing
   * @param stop makes a task that is under way end soon
   */
  void send(Consumer<Consumer<Object>> task, Object ping, Runnable stop)
      throws IOException, InterruptedException {
    exchange.memory().require(WAITING, "a stream");
    Thread.ofVirtual()
        .name("task-" + exchange.requestId())
        .start(
            () -> {
              try {
                task.accept(this::put);
              } finally {
                put(new End());
              }
            });
    boolean whole = false;
    try (Shutdown.Stream _ = shutdown.stream()) {
      whole = pass(ping);
    } finally {
      stopped = true;
      if (!whole) {
        stop.run();
      }
    }
  }

  private void put(Object line) {
    try {
      while (!stopped && !lines.offer(line, TICK_MILLIS, TimeUnit.MILLISECONDS)) {
        // The caller has not read the earlier ones yet.
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns whether all was said. */
  private boolean pass(Object ping) throws IOException, InterruptedException {
    NdjsonWriter writer = new NdjsonWriter(exchange);
    Silence silence = new Silence(exchange.config().pingInterval());
    boolean ended = false;
    while (!ended && !shutdown.begun()) {
      Object line = lines.poll(TICK_MILLIS, TimeUnit.MILLISECONDS);
      if (line == null && silence.tooLong()) {
        line = ping;
      }
      while (line != null && !ended) {
        ended = line instanceof End;
        if (!ended) {
          writer.add(line);
          line = writer.full() ? null : lines.poll();
        }
        silence.broken();
      }
      if (!ended) {
        writer.flush();
      }
    }
    writer.end();
    return ended;
  }
}
