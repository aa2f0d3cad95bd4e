package dev.atoll.engine;

import dev.atoll.engine.net.ConnectionLog;
import dev.atoll.model.AtollException;
import dev.atoll.model.Connection;
import dev.atoll.model.ConnectionVerdict;
import dev.atoll.model.ConnectionWay;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.FileEntry;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One request by a signed URL. It is on record from its beginning, and again with what came of it
 * when it is closed. Used by one thread.
 */
public final class FileUrlUse implements AutoCloseable {
  private final String id = Ids.connection();
  private final Instant time = Instant.now();
  private final long began = System.nanoTime();
  private final ConnectionLog log;
  private final SandboxFiles files;
  private final String project;
  private final FileUrlClaim claim;
  private final String from;
  private long sent;
  private long received;
  private ConnectionVerdict verdict = ConnectionVerdict.ALLOWED;
  private @Nullable String reason;

  FileUrlUse(
      ConnectionLog log, SandboxFiles files, String project, FileUrlClaim claim, String from) {
    this.log = log;
    this.files = files;
    this.project = project;
    this.claim = claim;
    this.from = from;
    log.record(line(null));
  }

  /** Reads the file from an offset; length 0 means to the end. */
  public FileContent read(long offset, long length) {
    FileContent content = told(() -> files.read(claim.path(), offset, length));
    InputStream counted = new Counted(content.stream());
    return new FileContent() {
      @Override
      public FileEntry entry() {
        return content.entry();
      }

      @Override
      public InputStream stream() {
        return counted;
      }

      @Override
      public void close() {
        content.close();
      }
    };
  }

  /**
   * Writes the file, whole or not at all; directories on the way are made.
   *
   * @param announced how long the content is said to be; negative when that is not known
   */
  public FileEntry write(InputStream content, long announced) {
    return told(
        () -> {
          if (claim.maxBytes() != null && announced > claim.maxBytes()) {
            throw tooLarge(claim.maxBytes());
          }
          return files.write(claim.path(), new Bounded(content), new WriteOptions(0, true, false));
        });
  }

  private static AtollException tooLarge(long most) {
    return new AtollException(
        ErrorCode.TOO_LARGE,
        "this URL takes no more than " + most + " bytes",
        "send less, or ask for a URL that takes more",
        Map.of("maxBytes", most),
        null);
  }

  private <T> T told(Supplier<T> work) {
    try {
      return work.get();
    } catch (AtollException e) {
      boolean refused = e.code() == ErrorCode.TOO_LARGE;
      verdict = refused ? ConnectionVerdict.REFUSED : ConnectionVerdict.FAILED;
      reason = e.code().wire();
      throw e;
    }
  }

  private Connection line(@Nullable Long durationMillis) {
    return new Connection(
        id,
        time,
        claim.sandbox(),
        project,
        claim.path(),
        from,
        0,
        ConnectionWay.FILE_URL,
        verdict,
        "signed " + claim.method().wire().toLowerCase(Locale.ROOT),
        reason,
        sent,
        received,
        durationMillis,
        null);
  }

  @Override
  public void close() {
    log.record(line(Duration.ofNanos(System.nanoTime() - began).toMillis()));
  }

  /** Counts what leaves the sandbox. */
  private final class Counted extends FilterInputStream {
    Counted(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      int count = in.read(buffer, offset, length);
      sent += Math.max(0, count);
      return count;
    }
  }

  /** Counts what enters the sandbox, and lets no more pass than the URL allows. */
  private final class Bounded extends FilterInputStream {
    Bounded(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      int count = in.read(buffer, offset, length);
      Long most = claim.maxBytes();
      if (count > 0 && most != null && count > most - received) {
        throw tooLarge(most);
      }
      received += Math.max(0, count);
      return count;
    }
  }
}
