package dev.atoll.sdk;

import dev.atoll.model.ErrorCode;
import dev.atoll.model.InputAnswer;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The events of a run while they happen, from {@link RunEvent.Started} to {@link RunEvent.End}.
 *
 * <p>It survives a restart of the server: when the connection breaks, it waits for the server to
 * come back (see {@link RetryPolicy#reconnectTime()}) and goes on where it was, without loss and
 * without repetition. Closing it before the end cancels the run, unless it was {@linkplain
 * #detach() detached}; so does an interrupt of the thread that reads.
 *
 * <p>The run waits for whoever reads slowly: nothing is lost, and little is in memory. Only what
 * {@link Sandbox#attach} gives does not hold it up, and may have a {@link RunEvent.Cut}.
 *
 * <p>One thread reads; {@link #cancel()} and {@link #answer} may be called by any.
 */
public final class RunStream implements Iterable<RunEvent>, AutoCloseable {
  private final RunOrigin origin;
  private final Consumer<RunEvent> listener;
  private final RunPosition position;
  private final String id;
  private final boolean holds;
  private RunConnection connection;
  private @Nullable RunEvent upcoming;
  private boolean ended;
  private boolean owner;
  private @Nullable Function<RunEvent.InputRequest, @Nullable String> answers;

  private RunStream(
      RunOrigin origin,
      RunConnection connection,
      String id,
      long from,
      boolean owner,
      boolean holds,
      Consumer<RunEvent> listener) {
    this.holds = holds;
    this.origin = origin;
    this.connection = connection;
    this.id = id;
    this.position = new RunPosition(from);
    this.owner = owner;
    this.listener = listener;
  }

  /** What answers the questions that are read; null: nobody does. */
  RunStream answering(@Nullable Function<RunEvent.InputRequest, @Nullable String> function) {
    answers = function;
    return this;
  }

  /** Starts a run; returns when the server has told its id. */
  static RunStream start(RunOrigin origin, ApiRequest request, Consumer<RunEvent> listener) {
    RunConnection connection = origin.open(request.timeout(Duration.ofMinutes(15)));
    RunEvent first = firstEvent(origin, connection);
    if (!(first instanceof RunEvent.Started started)) {
      connection.close();
      throw unexpected(first);
    }
    RunStream stream = new RunStream(origin, connection, started.id(), 0, true, true, listener);
    stream.upcoming = stream.position.advance(first);
    return stream;
  }

  /** Follows a run that was started before; closing it leaves the run alone. */
  static RunStream attach(RunOrigin origin, String id, long from) {
    return attach(origin, id, from, false);
  }

  /** The same for whoever the run is to wait for. */
  static RunStream hold(RunOrigin origin, String id, long from) {
    return attach(origin, id, from, true);
  }

  private static RunStream attach(RunOrigin origin, String id, long from, boolean holds) {
    RunConnection connection = origin.open(origin.events(id, from, holds));
    return new RunStream(origin, connection, id, from, false, holds, event -> {});
  }

  /** The bytes of a piece of output, whether it came as text or not. */
  public static byte[] bytes(RunEvent.Output output) {
    String text = output.text();
    if (text != null) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    String base64 = output.base64();
    return base64 == null ? new byte[0] : Base64.getDecoder().decode(base64);
  }

  /** The run's id, by which {@link Sandbox#attach} finds it later. */
  public String id() {
    return id;
  }

  /** The events that were not handed out yet. There is one sequence: each event comes once. */
  @Override
  public Iterator<RunEvent> iterator() {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return peek() != null;
      }

      @Override
      public RunEvent next() {
        RunEvent event = peek();
        if (event == null) {
          throw new NoSuchElementException("the run has ended");
        }
        upcoming = null;
        listener.accept(event);
        reply(event);
        return event;
      }
    };
  }

  /** Reads to the end and gathers what was not handed out yet. */
  public RunResult result() {
    RunCollector collector = new RunCollector(id);
    forEach(collector::add);
    return collector.result();
  }

  /** The same; what the code asks is given to somebody who answers it. */
  public RunResult result(Consumer<RunEvent.InputRequest> questions) {
    RunCollector collector = new RunCollector(id);
    for (RunEvent event : this) {
      collector.add(event);
      if (event instanceof RunEvent.InputRequest question) {
        questions.accept(question);
      }
    }
    return collector.result();
  }

  /**
   * Asks the server to end the run: code is interrupted, a command's process tree is killed. The
   * stream then comes to its end by itself.
   */
  public void cancel() {
    origin.cancel(id);
  }

  /**
   * Answers a question with one line, without its end. Each question is answered once; one that the
   * run does not wait for any more is refused with {@code input_not_awaited}.
   */
  public void answer(RunEvent.InputRequest question, String line) {
    origin.answer(id, InputAnswer.text(question.id(), line));
  }

  /** Tells code that asks that there is no more input; {@code input()} then fails. */
  public void endInput(RunEvent.InputRequest question) {
    origin.answer(id, InputAnswer.endOfInput(question.id()));
  }

  private void reply(RunEvent event) {
    Function<RunEvent.InputRequest, @Nullable String> function = answers;
    if (function == null || !(event instanceof RunEvent.InputRequest question)) {
      return;
    }
    String line = function.apply(question);
    try {
      if (line == null) {
        endInput(question);
      } else {
        answer(question, line);
      }
    } catch (ApiException e) {
      // Whoever thinks for long may find that the time was up: the events tell the rest.
      if (e.code() != ErrorCode.INPUT_NOT_AWAITED) {
        throw e;
      }
    }
  }

  /** From now on {@link #close()} leaves the run alone. */
  public void detach() {
    owner = false;
  }

  /** Ends the reading; cancels the run if it has not ended and was not detached. */
  @Override
  public void close() {
    connection.close();
    if (owner && !ended) {
      ended = true;
      cancelQuietly();
    }
  }

  private @Nullable RunEvent peek() {
    while (upcoming == null && !ended) {
      upcoming = position.advance(read());
    }
    ended = ended || upcoming instanceof RunEvent.End;
    return upcoming;
  }

  private RunEvent read() {
    try {
      return connection.next();
    } catch (IOException e) {
      stopIfInterrupted(e);
      return reconnect(e);
    }
  }

  private RunEvent reconnect(IOException reason) {
    long deadline = System.nanoTime() + origin.api().policy().reconnectTime().toNanos();
    connection.close();
    for (int attempt = 1; System.nanoTime() < deadline; attempt++) {
      origin.api().findServerAgain();
      try {
        ApiRequest again = origin.events(id, position.offset(), holds);
        connection = new RunConnection(origin.api().openOnce(again));
        position.reconnected();
        return connection.next();
      } catch (IOException e) {
        stopIfInterrupted(e);
        reason.addSuppressed(e);
      } catch (ApiException e) {
        if (e.code().httpStatus() != 503) {
          throw e;
        }
      }
      pauseOrCancel(origin.api().policy().delay(Math.min(attempt, 4)));
    }
    throw new ConnectionException(
        "the connection to the server broke and it did not come back in time",
        "when it is back, attach to the run " + id,
        reason);
  }

  private void pauseOrCancel(Duration time) {
    try {
      Api.pause(time);
    } catch (CallInterruptedException e) {
      cancelOnInterrupt();
      throw e;
    }
  }

  /** An interrupt shows as a broken connection, on some transports only by the thread's flag. */
  private void stopIfInterrupted(IOException e) {
    boolean asCause =
        e.getCause() instanceof InterruptedException
            || (e instanceof InterruptedIOException && !(e instanceof SocketTimeoutException));
    if (asCause || Thread.currentThread().isInterrupted()) {
      Thread.currentThread().interrupt();
      cancelOnInterrupt();
      throw new CallInterruptedException(e);
    }
  }

  private void cancelOnInterrupt() {
    ended = true;
    if (owner) {
      cancelQuietly();
    }
  }

  private void cancelQuietly() {
    try {
      cancel();
    } catch (ApiException e) {
      // It has ended meanwhile, or the server is gone and the run's timeout will end it.
    }
  }

  private static RunEvent firstEvent(RunOrigin origin, RunConnection connection) {
    try {
      return connection.next();
    } catch (IOException e) {
      connection.close();
      throw new ConnectionException(
          "the connection to " + origin.api().endpoint().url() + " broke before the run had an id",
          "it may or may not have started; look at the sandbox before you run it again",
          e);
    }
  }

  private static ApiException unexpected(RunEvent first) {
    return new ApiException(
        ApiException.local(
            ErrorCode.INTERNAL,
            "the run did not begin with its id but with " + first,
            "check that SDK and server are of the same version"),
        null);
  }
}
