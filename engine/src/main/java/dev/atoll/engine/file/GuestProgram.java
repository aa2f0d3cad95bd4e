package dev.atoll.engine.file;

import dev.atoll.engine.guest.Guest;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Start;
import dev.atoll.protocol.wire.Stream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A program that Atoll itself runs in a guest; it is not among the sandbox's processes.
 *
 * <p>It runs as root where the template allows that, and as the default user otherwise. Since the
 * default user can write to a folder on the guest's path, and could so become root, programs are
 * named by absolute path and get none of the variables that make a program load or do something
 * else.
 */
public final class GuestProgram implements AutoCloseable {
  /** The user that may see and own everything, where the template allows it. */
  public static final String ROOT = "root";

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration INPUT_PATIENCE = Duration.ofMinutes(2);
  private static final Map<String, String> ENVIRONMENT =
      Map.of(
          "PATH", "/usr/sbin:/usr/bin:/sbin:/bin",
          "LC_ALL", "C",
          "LD_PRELOAD", "",
          "LD_LIBRARY_PATH", "",
          "LD_AUDIT", "",
          "TAR_OPTIONS", "");

  private final Transfer transfer;
  private final String user;
  private final TransferStream output;
  private volatile @Nullable IOException inputFailure;

  private GuestProgram(Transfer transfer, String user, TransferStream output) {
    this.transfer = transfer;
    this.user = user;
    this.output = output;
  }

  /**
   * Starts a program.
   *
   * @param success exit codes that are no failure; any other one ends the output with an exception
   * @param limit how long its output may take in all
   */
  public static GuestProgram start(
      Guest guest, List<String> argv, IntPredicate success, Duration limit) {
    try {
      return start(guest, argv, ROOT, success, limit);
    } catch (AtollException e) {
      if (e.code() != ErrorCode.PERMISSION_DENIED) {
        throw e;
      }
      return start(guest, argv, "", success, limit);
    }
  }

  private static GuestProgram start(
      Guest guest, List<String> argv, String user, IntPredicate success, Duration limit) {
    Start start =
        Start.newBuilder()
            .addAllArgv(argv)
            .addAllEnv(Guest.variables(ENVIRONMENT))
            .setUser(user)
            .setCwd("/")
            .setStdin(true)
            .build();
    Transfer transfer = new Transfer(guest, argv.getFirst(), Frame.newBuilder().setStart(start));
    try {
      transfer.next(PATIENCE);
      TransferStream output = new TransferStream(transfer, Stream.STDOUT, success, limit);
      return new GuestProgram(transfer, user, output);
    } catch (RuntimeException e) {
      transfer.close();
      throw e;
    }
  }

  /** The user it runs as; empty for the default user. */
  public String user() {
    return user;
  }

  /** What it prints, to its end; a failure of its input shows here too. */
  public InputStream output() {
    return output;
  }

  /** What it has said about errors so far; the thread that reads its output may ask. */
  public String errors() {
    return output.errors();
  }

  /** Gives it all of a stream as its input, on a thread of its own, and closes that stream. */
  public void feed(InputStream input) {
    Thread.ofVirtual()
        .name("guest-program-input")
        .start(
            () -> {
              try (input) {
                send(input);
              } catch (IOException e) {
                abort(e);
              } catch (AtollException e) {
                // It ended, or does not want its input; its own end tells the rest.
              }
            });
  }

  private void send(InputStream input) throws IOException {
    byte[] buffer = new byte[FrameCodec.MAX_DATA];
    for (int n = input.readNBytes(buffer, 0, buffer.length);
        n > 0;
        n = input.readNBytes(buffer, 0, buffer.length)) {
      transfer.channel().sendData(Stream.STDIN, buffer, 0, n, INPUT_PATIENCE);
    }
    transfer.channel().sendEof(Stream.STDIN);
  }

  /** Half an input must not be taken for a whole one: the program is ended. */
  private void abort(IOException failure) {
    inputFailure = failure;
    try {
      transfer.channel().close();
    } catch (AtollException e) {
      failure.addSuppressed(e);
    }
    transfer.lost("the input of a program could not be read: " + failure.getMessage());
  }

  /** Waits for its end and drops what it prints. */
  public void finish() throws IOException {
    try {
      output.transferTo(java.io.OutputStream.nullOutputStream());
    } catch (IOException e) {
      IOException cause = inputFailure;
      throw cause == null ? e : cause;
    }
  }

  /** Ends it if it still runs. */
  @Override
  public void close() {
    output.close();
  }
}
