package dev.atoll.sdk;

import dev.atoll.model.Json;
import dev.atoll.sdk.transport.HttpAnswer;
import java.io.EOFException;
import java.io.IOException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * Lines of JSON that a server sends without an end. The first says that it has begun. A broken
 * connection is made anew for as long as the retry policy says. One thread reads.
 *
 * @param <L> a line
 */
final class LineFeed<L> implements AutoCloseable {
  private final Api api;
  private final Supplier<ApiRequest> request;
  private final Class<L> type;
  private final String name;
  private HttpAnswer answer;
  private LineReader lines;
  private volatile boolean closed;

  /**
   * Opens it.
   *
   * @param name what it is called in failures, such as {@code watch}
   */
  LineFeed(Api api, Supplier<ApiRequest> request, Class<L> type, String name) {
    this.api = api;
    this.request = request;
    this.type = type;
    this.name = name;
    this.answer = api.open(request.get());
    this.lines = new LineReader(answer.body());
  }

  /** The line that says that it has begun. */
  L first() {
    try {
      return next();
    } catch (IOException e) {
      close();
      throw new ConnectionException(
          "the connection broke before the " + name + " began", "try again", e);
    }
  }

  L next() throws IOException {
    byte[] line = lines.next();
    if (line == null) {
      throw new EOFException("the " + name + " stopped");
    }
    try {
      return Json.lenient().readValue(line, type);
    } catch (JacksonException e) {
      throw new IOException("a line of the " + name + " is not readable", e);
    }
  }

  boolean closed() {
    return closed;
  }

  /** Ends it, also while another thread reads. */
  @Override
  public void close() {
    closed = true;
    answer.close();
  }

  /** Opens it once more after a failure, or gives up. */
  void reconnect(IOException reason) {
    if (Thread.currentThread().isInterrupted()
        || reason.getCause() instanceof InterruptedException) {
      Thread.currentThread().interrupt();
      throw new CallInterruptedException(reason);
    }
    answer.close();
    long deadline = System.nanoTime() + api.policy().reconnectTime().toNanos();
    for (int attempt = 1; !openedAgain(deadline); attempt++) {
      Api.pause(api.policy().delay(Math.min(attempt, 4)));
    }
  }

  private boolean openedAgain(long deadline) {
    api.findServerAgain();
    try {
      answer = api.openOnce(request.get());
      lines = new LineReader(answer.body());
      next();
      return true;
    } catch (IOException e) {
      if (System.nanoTime() > deadline) {
        throw new ConnectionException(
            "the connection to the server broke and it did not come back in time",
            "start the " + name + " again",
            e);
      }
    } catch (ApiException e) {
      if (e.code().httpStatus() != 503 || System.nanoTime() > deadline) {
        throw e;
      }
    }
    return false;
  }

  /**
   * Hands out what is read, each once.
   *
   * @param read gives null when the feed was closed
   */
  <T> Iterator<T> iterator(Supplier<@Nullable T> read) {
    return new Iterator<>() {
      private @Nullable T upcoming;

      @Override
      public boolean hasNext() {
        upcoming = upcoming == null ? read.get() : upcoming;
        return upcoming != null;
      }

      @Override
      public T next() {
        if (!hasNext() || upcoming == null) {
          throw new NoSuchElementException("the " + name + " was closed");
        }
        T item = upcoming;
        upcoming = null;
        return item;
      }
    };
  }
}
