package dev.atoll.cli;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Tells a person how far a transfer is, once it has taken long enough to wonder. */
final class TransferProgress implements AutoCloseable {
  private static final long PATIENCE = Duration.ofSeconds(2).toNanos();
  private static final long INTERVAL = Duration.ofMillis(500).toNanos();
  private static final String CLEAR_LINE = "\r\u001b[K";

  private final Stdio stdio;
  private final String doing;
  private final LongSupplier nanoTime;
  private final long start;
  private long nextShow;
  private long bytes;
  private boolean shown;

  TransferProgress(Stdio stdio, String doing, LongSupplier nanoTime) {
    this.stdio = stdio;
    this.doing = doing;
    this.nanoTime = nanoTime;
    this.start = nanoTime.getAsLong();
    this.nextShow = PATIENCE;
  }

  /** The same stream, counted. */
  OutputStream count(OutputStream to) {
    return new FilterOutputStream(to) {
      @Override
      public void write(byte[] buffer, int offset, int length) throws IOException {
        out.write(buffer, offset, length);
        add(length);
      }
    };
  }

  /** The same stream, counted. */
  InputStream count(InputStream from) {
    return new FilterInputStream(from) {
      @Override
      public int read(byte[] buffer, int offset, int length) throws IOException {
        int read = in.read(buffer, offset, length);
        add(Math.max(0, read));
        return read;
      }
    };
  }

  /** So many bytes more have passed. */
  void add(long count) {
    bytes += count;
    long elapsed = nanoTime.getAsLong() - start;
    if (!stdio.errTerminal() || elapsed < nextShow) {
      return;
    }
    nextShow = elapsed + INTERVAL;
    shown = true;
    long perSecond = Math.round(bytes * 1e9 / elapsed);
    stdio
        .err()
        .print(
            CLEAR_LINE
                + ("atoll: " + doing + ": " + Bytes.brief(bytes))
                + (", " + Bytes.brief(perSecond) + "/s"));
    stdio.err().flush();
  }

  /** Takes the line away again. */
  @Override
  public void close() {
    if (shown) {
      stdio.err().print(CLEAR_LINE);
      stdio.err().flush();
    }
  }
}
