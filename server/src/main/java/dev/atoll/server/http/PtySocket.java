package dev.atoll.server.http;

import dev.atoll.engine.Run;
import dev.atoll.engine.RunEvents;
import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.model.AtollException;
import dev.atoll.model.Json;
import dev.atoll.model.RunEvent;
import dev.atoll.model.TerminalSize;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.api.StatusCode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A terminal on a WebSocket.
 *
 * <p>Both directions go at the pace of the slower side: the next frame of the caller is asked for
 * when the process has taken the last one, and the next output is read when the caller has taken
 * the one before. One virtual thread carries the output; input is carried by one at a time.
 *
 * <p>Public only because Jetty calls it by reflection.
 */
public final class PtySocket implements Session.Listener {
  private static final Logger log = LoggerFactory.getLogger(PtySocket.class);

  /** What a terminal takes: two threads, and what is on its way in either direction. */
  private static final long COST = 128 << 10;

  private final BudgetAccount memory;
  private final Run run;
  private final long from;
  private final Duration pingInterval;
  private final Shutdown shutdown;
  private volatile @Nullable Session session;
  private volatile boolean closed;

  /**
   * @param memory pays for it while it is open
   */
  PtySocket(Run run, long from, Duration pingInterval, Shutdown shutdown, BudgetAccount memory) {
    this.memory = memory;
    this.run = run;
    this.from = from;
    this.pingInterval = pingInterval;
    this.shutdown = shutdown;
  }

  @Override
  public void onWebSocketOpen(Session opened) {
    session = opened;
    if (!memory.take(COST)) {
      close(StatusCode.TRY_AGAIN_LATER, "the project makes the server hold all that it may");
      return;
    }
    Thread.ofVirtual().name("pty-" + run.id()).start(() -> carryOutput(opened));
    opened.demand();
  }

  @Override
  public void onWebSocketPartialBinary(ByteBuffer payload, boolean last, Callback callback) {
    byte[] bytes = new byte[payload.remaining()];
    payload.get(bytes);
    callback.succeed();
    later(() -> run.writeStdin(bytes, 0, bytes.length));
  }

  @Override
  public void onWebSocketText(String message) {
    TerminalSize size;
    try {
      size = JsonBody.parse(message.getBytes(StandardCharsets.UTF_8), TerminalSize.class);
    } catch (AtollException e) {
      close(StatusCode.BAD_PAYLOAD, "a text frame must be {\"rows\":R,\"columns\":C}");
      return;
    }
    later(() -> run.resize(size));
  }

  @Override
  public void onWebSocketClose(int status, String reason, Callback callback) {
    closed = true;
    memory.giveAll();
    callback.succeed();
  }

  @Override
  public void onWebSocketError(Throwable cause) {
    closed = true;
    memory.giveAll();
    log.debug("terminal of {} broke off", run.id(), cause);
  }

  /** Does something that may block, then asks for the next frame. */
  private void later(Runnable input) {
    Thread.startVirtualThread(
        () -> {
          try {
            input.run();
          } catch (AtollException e) {
            // The process has ended or takes no input; the other direction tells the caller.
            log.debug("terminal of {} took no input", run.id(), e);
          }
          Session current = session;
          if (current != null && current.isOpen()) {
            current.demand();
          }
        });
  }

  private void carryOutput(Session to) {
    try (Shutdown.Stream _ = shutdown.stream();
        RunEvents events = run.hold(from)) {
      Silence silence = new Silence(pingInterval);
      while (!closed && !events.ended()) {
        RunEvent event = events.next(silence.atMost(Shutdown.TICK));
        if (shutdown.begun()) {
          close(StatusCode.SHUTDOWN, "the server is stopping");
          return;
        }
        if (event != null) {
          deliver(to, event);
          silence.broken();
        } else if (silence.tooLong()) {
          await(done -> to.sendPing(ByteBuffer.allocate(0), done));
          silence.broken();
        }
      }
      if (!events.ended()) {
        run.abandon();
      }
      close(StatusCode.NORMAL, null);
    } catch (CompletionException e) {
      log.debug("terminal of {} is no longer listened to", run.id(), e);
      run.abandon();
    } catch (RuntimeException e) {
      log.warn("terminal of {} failed", run.id(), e);
      close(StatusCode.SERVER_ERROR, "the terminal failed");
    }
  }

  private static void deliver(Session to, RunEvent event) {
    switch (event) {
      case RunEvent.Output output ->
          await(done -> to.sendBinary(ByteBuffer.wrap(bytes(output)), done));
      case RunEvent.End end -> {
        String text = Json.lenient().writerFor(RunEvent.class).writeValueAsString(end);
        await(done -> to.sendText(text, done));
      }
      case RunEvent.Started _,
          RunEvent.Cut _,
          RunEvent.Result _,
          RunEvent.Display _,
          RunEvent.Failure _,
          RunEvent.Ping _,
          RunEvent.Compiled _,
          RunEvent.Packages _,
          RunEvent.InputRequest _ -> {}
    }
  }

  private static byte[] bytes(RunEvent.Output output) {
    String text = output.text();
    String base64 = output.base64();
    if (text != null) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    return base64 == null ? new byte[0] : Base64.getDecoder().decode(base64);
  }

  /** Waits until the connection has taken what is sent. */
  private static void await(Consumer<Callback> send) {
    Callback.Completable done = new Callback.Completable();
    send.accept(done);
    done.join();
  }

  private void close(int status, @Nullable String reason) {
    Session current = session;
    if (current != null) {
      current.close(status, reason, Callback.NOOP);
    }
  }
}
