package dev.atoll.engine.template;

import dev.atoll.model.BuildEvent;
import dev.atoll.model.Json;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a build has said, as a file of JSON lines that any number of readers follow. Thread-safe.
 */
public final class BuildLog {
  /** Beyond this, output is left out; the events around it are kept. */
  private static final long MOST_BYTES = 32L << 20;

  private static final Logger LOG = LoggerFactory.getLogger(BuildLog.class);

  private final Path file;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition more = lock.newCondition();
  private long written;
  private long events;
  private boolean ended;

  private BuildLog(Path file, boolean ended) {
    this.file = file;
    this.ended = ended;
  }

  /** A new one. */
  public static BuildLog create(Path file) {
    try {
      Files.createDirectories(file.getParent());
      Files.write(file, new byte[0], StandardOpenOption.CREATE_NEW);
      return new BuildLog(file, false);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One that a server has written to its end, or that is not there. */
  public static BuildLog ended(Path file) {
    return new BuildLog(file, true);
  }

  /** Adds an event; nothing comes after the last one. */
  public void add(BuildEvent event) {
    byte[] line =
        (Json.lenient().writeValueAsString(event) + "\n").getBytes(StandardCharsets.UTF_8);
    lock.lock();
    try {
      boolean room =
          written + line.length <= MOST_BYTES || !(event instanceof BuildEvent.BuildOutput);
      if (room && !ended) {
        append(line);
      }
      events++;
      ended |= event.last();
      more.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** A log that cannot be written must not end the build: what is lost is its record. */
  private void append(byte[] line) {
    try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.APPEND)) {
      out.write(line);
      written += line.length;
    } catch (IOException e) {
      LOG.warn("{} cannot be written: {}", file, e.getMessage());
    }
  }

  /** A reader from the beginning on. */
  public Reader read() {
    return new Reader();
  }

  /** Goes through the events in order. For one thread. */
  public final class Reader implements AutoCloseable {
    private final ByteArrayOutputStream begun = new ByteArrayOutputStream();
    private @Nullable InputStream in;
    private boolean over;
    private long seen;

    /** The next line as JSON; null when none came in time, or when it is {@link #over}. */
    public @Nullable String next(Duration wait) {
      try {
        String line = line();
        if (line != null || over) {
          return line;
        }
        await(wait);
        return line();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Whether nothing comes any more. */
    public boolean over() {
      return over;
    }

    private @Nullable String line() throws IOException {
      boolean last;
      lock.lock();
      try {
        last = ended;
      } finally {
        lock.unlock();
      }
      if (in == null && Files.exists(file)) {
        in = new BufferedInputStream(Files.newInputStream(file));
      }
      String line = in == null ? null : wholeLine(in);
      over = line == null && last;
      return line;
    }

    /** Half a line is one that is being written; its rest comes later. */
    private @Nullable String wholeLine(InputStream from) throws IOException {
      for (int b = from.read(); b >= 0; b = from.read()) {
        if (b == '\n') {
          String line = begun.toString(StandardCharsets.UTF_8);
          begun.reset();
          return line;
        }
        begun.write(b);
      }
      return null;
    }

    private void await(Duration wait) {
      lock.lock();
      try {
        long left = wait.toNanos();
        while (!ended && events == seen && left > 0) {
          left = more.awaitNanos(left);
        }
        seen = events;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void close() {
      if (in != null) {
        try {
          in.close();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }
}
