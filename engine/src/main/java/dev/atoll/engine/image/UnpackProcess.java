package dev.atoll.engine.image;

import dev.atoll.engine.jail.Jailer;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** An {@link UnpackProgram} that runs. What it says is as little trusted as what it reads. */
final class UnpackProcess implements AutoCloseable {
  static final int MEMORY_MIB = 256;

  private static final Duration WHOLE = Duration.ofHours(1);
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int MOST_ANSWER = 1 << 14;
  private static final int MOST_SHOWN = 2000;

  /** With which a Java machine ends when its memory is used up, if it is told to. */
  private static final int OUT_OF_MEMORY = 3;

  private final Process process;
  private final OutputStream input;
  private final StringBuilder complaints = new StringBuilder();
  private final Thread listener;

  /** Set before it is ended for its time. */
  private volatile boolean late;

  private UnpackProcess(Process process, Duration most) {
    this.process = process;
    this.input = new BufferedOutputStream(process.getOutputStream(), 1 << 16);
    this.listener = Thread.ofVirtual().start(this::listen);
    Thread.ofVirtual().start(() -> limit(most));
  }

  static UnpackProcess start(List<String> command) throws IOException {
    return start(command, WHOLE);
  }

  static UnpackProcess start(List<String> command, Duration most) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().clear();
    return new UnpackProcess(builder.start(), most);
  }

  /** Ends it when its time is over, whatever its user waits for meanwhile. */
  private void limit(Duration most) {
    try {
      if (!process.waitFor(most.toMillis(), TimeUnit.MILLISECONDS)) {
        late = true;
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void listen() {
    byte[] buffer = new byte[1 << 12];
    try (InputStream errors = process.getErrorStream()) {
      for (int n = errors.read(buffer); n >= 0; n = errors.read(buffer)) {
        synchronized (complaints) {
          if (complaints.length() < MOST_SHOWN) {
            complaints.append(new String(buffer, 0, n, StandardCharsets.UTF_8));
          }
        }
      }
    } catch (IOException e) {
      // It has ended.
    }
  }

  Process process() {
    return process;
  }

  OutputStream input() {
    return input;
  }

  /** Waits for its end; throws what it says is wrong. */
  void finish() throws IOException {
    String answer;
    try (InputStream out = process.getInputStream()) {
      answer = new String(out.readNBytes(MOST_ANSWER), StandardCharsets.UTF_8);
    }
    int status;
    try {
      status = process.waitFor();
      listener.join(Duration.ofSeconds(1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while an archive was unpacked", e);
    }
    if (late) {
      throw tooLarge("that takes too long");
    }
    if (status == 0 && answer.equals("ok")) {
      return;
    }
    if (status == OUT_OF_MEMORY) {
      throw tooLarge("that takes more than " + MEMORY_MIB + " MiB of memory");
    }
    if (status == 0) {
      throw said(answer);
    }
    throw broken(status);
  }

  private static AtollException tooLarge(String why) {
    return new AtollException(
        ErrorCode.TOO_LARGE,
        "the archive cannot be unpacked: " + why,
        "make an archive with fewer files, or in smaller parts");
  }

  /** Only errors of the archive, or of the disk, are believed. */
  private static IOException said(String answer) {
    String[] parts = answer.split("\0", 3);
    if (parts.length == 3 && parts[0].equals(ErrorCode.INVALID_ARGUMENT.name())) {
      throw new AtollException(ErrorCode.INVALID_ARGUMENT, shown(parts[1]), shown(parts[2]));
    }
    if (parts.length == 3 && parts[0].equals(ErrorCode.TOO_LARGE.name())) {
      throw new AtollException(ErrorCode.TOO_LARGE, shown(parts[1]), shown(parts[2]));
    }
    return new IOException(
        "the archive could not be unpacked: " + shown(parts.length == 3 ? parts[1] : answer));
  }

  private AtollException broken(int status) {
    boolean unmade = status == Jailer.NO_WORLD;
    String why;
    synchronized (complaints) {
      why = shown(complaints.toString());
    }
    return new AtollException(
        ErrorCode.TEMPLATE_BUILD_FAILED,
        "the program that unpacks archives %s: status %d %s"
            .formatted(unmade ? "could not be confined" : "broke off", status, why),
        unmade
            ? "the data directory must be on a file system with idmapped mounts (ext4, xfs, btrfs)"
            : "look into the server's log",
        Map.of(),
        null);
  }

  private static String shown(String text) {
    String printable = text.replaceAll("[\\p{Cntrl}&&[^\n]]", "?");
    return printable.length() > MOST_SHOWN ? printable.substring(0, MOST_SHOWN) : printable;
  }

  /**
   * Ends it, if it has not ended. The jailer passes the signal on and waits, so that afterwards
   * nobody writes to the tree any more.
   */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
