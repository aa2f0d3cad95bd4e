package dev.atoll.engine.file;

import dev.atoll.model.AtollException;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Stream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** The bytes of a transfer as a stream, to its Eof or, for a program's output, to its Exit. */
final class TransferStream extends InputStream {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration FOREVER = Duration.ofDays(365);
  private static final int KEPT_ERRORS = 4096;

  private final Transfer transfer;
  private final Stream wanted;
  private final IntPredicate success;
  private final long deadline;
  private final StringBuilder errors = new StringBuilder();
  private byte[] current = new byte[0];
  private int position;
  private boolean ended;

  TransferStream(Transfer transfer, Stream wanted) {
    this(transfer, wanted, code -> code == 0, FOREVER);
  }

  /**
   * The same for a program.
   *
   * @param success exit codes that are no failure
   * @param limit how long all of it may take
   */
  TransferStream(Transfer transfer, Stream wanted, IntPredicate success, Duration limit) {
    this.transfer = transfer;
    this.wanted = wanted;
    this.success = success;
    this.deadline = System.nanoTime() + limit.toNanos();
  }

  @Override
  public int read() throws IOException {
    return fill() ? current[position++] & 0xff : -1;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    if (!fill()) {
      return -1;
    }
    int size = Math.min(length, current.length - position);
    System.arraycopy(current, position, target, offset, size);
    position += size;
    return size;
  }

  @Override
  public int available() {
    return current.length - position;
  }

  private boolean fill() throws IOException {
    while (position == current.length) {
      if (ended) {
        return false;
      }
      byte[] more = receive();
      if (more == null) {
        ended = true;
        return false;
      }
      current = more;
      position = 0;
    }
    return true;
  }

  private byte @Nullable [] receive() throws IOException {
    Frame frame;
    try {
      frame = transfer.next(patience());
    } catch (AtollException e) {
      throw new IOException(e.getMessage(), e);
    }
    switch (frame.getBodyCase()) {
      case DATA -> {
        byte[] bytes = frame.getData().getBytes().toByteArray();
        if (frame.getData().getStream() == wanted) {
          return bytes;
        }
        if (errors.length() < KEPT_ERRORS) {
          errors.append(
              new String(
                  Arrays.copyOf(bytes, Math.min(bytes.length, KEPT_ERRORS)),
                  StandardCharsets.UTF_8));
        }
      }
      case EOF -> {
        if (wanted == Stream.BYTES) {
          transfer.finished();
          return null;
        }
      }
      case EXIT -> {
        transfer.close();
        if (!success.test(frame.getExit().getCode())) {
          throw new IOException(
              errors.isEmpty()
                  ? "exit code " + frame.getExit().getCode()
                  : errors.toString().strip());
        }
        return null;
      }
      default -> {}
    }
    return new byte[0];
  }

  /** What the program has said about errors so far, its beginning. */
  String errors() {
    return errors.toString().strip();
  }

  private Duration patience() {
    Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    return left.compareTo(PATIENCE) < 0 ? left : PATIENCE;
  }

  @Override
  public void close() {
    if (!ended) {
      ended = true;
      transfer.close();
    }
  }
}
