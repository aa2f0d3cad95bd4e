package dev.atoll.sdk;

import dev.atoll.model.FileChange;
import dev.atoll.model.FileEvent;
import dev.atoll.model.Json;
import dev.atoll.sdk.transport.HttpAnswer;
import java.io.EOFException;
import java.io.IOException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * Changes to files while they happen.
 *
 * <p>After a broken connection it goes on with a {@link FileChange#OVERFLOW} event, since changes
 * may have been missed. One thread reads; {@link #close()} ends it.
 */
public final class FileWatch implements Iterable<FileEvent>, AutoCloseable {
  private final Api api;
  private final String watchPath;
  private final String directory;
  private final boolean recursive;
  private HttpAnswer answer;
  private LineReader lines;
  private volatile boolean closed;

  FileWatch(Api api, String watchPath, String directory, boolean recursive) {
    this.api = api;
    this.watchPath = watchPath;
    this.directory = directory;
    this.recursive = recursive;
    this.answer = api.open(request());
    this.lines = new LineReader(answer.body());
    try {
      nextLine();
    } catch (IOException e) {
      close();
      throw new ConnectionException("the connection broke before the watch began", "try again", e);
    }
  }

  /** The changes; each is handed out once. It ends when the watch is closed. */
  @Override
  public Iterator<FileEvent> iterator() {
    return new Iterator<>() {
      private @Nullable FileEvent upcoming;

      @Override
      public boolean hasNext() {
        upcoming = upcoming == null ? read() : upcoming;
        return upcoming != null;
      }

      @Override
      public FileEvent next() {
        if (!hasNext() || upcoming == null) {
          throw new NoSuchElementException("the watch was closed");
        }
        FileEvent event = upcoming;
        upcoming = null;
        return event;
      }
    };
  }

  /** Ends the watch. */
  @Override
  public void close() {
    closed = true;
    answer.close();
  }

  private @Nullable FileEvent read() {
    while (!closed) {
      try {
        Line line = nextLine();
        if (line.change() != null && line.path() != null) {
          return new FileEvent(line.change(), line.path(), line.from());
        }
      } catch (IOException e) {
        return closed ? null : reconnect(e);
      }
    }
    return null;
  }

  private FileEvent reconnect(IOException reason) {
    if (Thread.currentThread().isInterrupted()
        || reason.getCause() instanceof InterruptedException) {
      Thread.currentThread().interrupt();
      throw new CallInterruptedException(reason);
    }
    answer.close();
    long deadline = System.nanoTime() + api.policy().reconnectTime().toNanos();
    for (int attempt = 1; ; attempt++) {
      api.findServerAgain();
      try {
        answer = api.openOnce(request());
        lines = new LineReader(answer.body());
        nextLine();
        return new FileEvent(FileChange.OVERFLOW, directory, null);
      } catch (IOException e) {
        if (System.nanoTime() > deadline) {
          throw new ConnectionException(
              "the connection to the server broke and it did not come back in time",
              "start the watch again",
              e);
        }
      } catch (ApiException e) {
        if (e.code().httpStatus() != 503 || System.nanoTime() > deadline) {
          throw e;
        }
      }
      Api.pause(api.policy().delay(Math.min(attempt, 4)));
    }
  }

  private Line nextLine() throws IOException {
    byte[] line = lines.next();
    if (line == null) {
      throw new EOFException("the watch stopped");
    }
    try {
      return Json.lenient().readValue(line, Line.class);
    } catch (JacksonException e) {
      throw new IOException("a change is not readable", e);
    }
  }

  private ApiRequest request() {
    return ApiRequest.get(watchPath)
        .query("path", directory)
        .query("recursive", recursive)
        .accept(ApiRequest.NDJSON);
  }

  private record Line(
      @Nullable String type,
      @Nullable FileChange change,
      @Nullable String path,
      @Nullable String from) {}
}
