package dev.atoll.engine.net;

import com.google.protobuf.ByteString;
import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.engine.guest.ChannelHandler;
import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.guest.GuestChannel;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.ProtocolException;
import dev.atoll.protocol.wire.Data;
import dev.atoll.protocol.wire.Dial;
import dev.atoll.protocol.wire.Failed;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Stream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a port of a sandbox. Both directions go at the pace of the slower side: what
 * nobody reads holds the program back, and a program that reads nothing holds {@link #write} back.
 *
 * <p>One thread may read and another write; any thread may close, which ends both.
 */
public final class PortConnection implements ChannelHandler, AutoCloseable {
  private static final int HALF_WINDOW = FrameCodec.INITIAL_WINDOW / 2;

  private final Ingress ingress;
  private final int port;
  private final PortSettings settings;
  private final Inbox inbox;
  private final CompletableFuture<Frame> answer = new CompletableFuture<>();
  private volatile @Nullable GuestChannel channel;
  private volatile @Nullable String broken;
  private volatile boolean closedByGuest;
  private volatile long lastActive = System.nanoTime();
  private final CompletableFuture<Boolean> over = new CompletableFuture<>();

  PortConnection(
      Ingress ingress, int port, PortSettings settings, AtomicLong buffers, BudgetAccount memory) {
    this.ingress = ingress;
    this.port = port;
    this.settings = settings;
    this.inbox = new Inbox(buffers, memory);
  }

  /** Opens it and waits until it stands. */
  void dial(Guest guest) {
    GuestChannel opened =
        guest.open(Frame.newBuilder().setDial(Dial.newBuilder().setPort(port)), this);
    channel = opened;
    if (closedByGuest) {
      opened.finished();
    }
    Frame first = await();
    if (first.hasFailed()) {
      opened.finished();
      closedByGuest = true;
      throw failure(first.getFailed());
    }
    use();
  }

  private Frame await() {
    try {
      return answer.get(settings.connectDeadline().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new AtollException(
          ErrorCode.TIMEOUT, "the sandbox did not connect to port " + port + " in time");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AtollException(ErrorCode.SHUTTING_DOWN, "interrupted while connecting");
    } catch (ExecutionException e) {
      throw new AtollException(
          ErrorCode.PORT_FAILED,
          "the connection to port " + port + " broke: " + broken,
          "try again",
          Map.of("port", port),
          e.getCause());
    }
  }

  private AtollException failure(Failed failed) {
    return switch (failed.getReason()) {
      case NOT_FOUND ->
          new AtollException(
              ErrorCode.PORT_NOT_LISTENING,
              "nothing in the sandbox listens on port " + port,
              "start the program, or look with `atoll ports`",
              Map.of("port", port),
              null);
      case TOO_MANY, BUSY ->
          new AtollException(ErrorCode.QUOTA_EXCEEDED, "the sandbox takes no more connections");
      default ->
          new AtollException(
              ErrorCode.PORT_FAILED,
              "port " + port + " cannot be reached: " + failed.getMessage(),
              null,
              Map.of("port", port),
              null);
    };
  }

  // What the guest sends; never blocks.

  @Override
  public void frame(Frame frame) {
    switch (frame.getBodyCase()) {
      case CONNECTED, FAILED -> answer.complete(frame);
      case DATA -> {
        if (frame.getData().getStream() != Stream.BYTES) {
          throw new ProtocolException("a connection has one stream only");
        }
        lastActive = System.nanoTime();
        if (!inbox.add(frame.getData().getBytes())) {
          breakOff("too much was sent that nobody takes");
          inbox.close();
        }
      }
      case EOF -> inbox.end();
      case CLOSED -> hungUp();
      default -> {}
    }
  }

  /** What the program had sent before is still read; if it did not end in order, that is told. */
  private void hungUp() {
    if (!inbox.hasEnded()) {
      breakOff("the program closed the connection");
    }
    closedByGuest = true;
    inbox.end();
    GuestChannel opened = channel;
    if (opened != null) {
      opened.finished();
    }
  }

  @Override
  public void lost(String reason) {
    breakOff("the sandbox left its machine: " + reason);
    closedByGuest = true;
    inbox.close();
    ingress.ended(this);
  }

  private void breakOff(String reason) {
    if (broken == null) {
      broken = reason;
    }
    answer.completeExceptionally(new IOException(reason));
  }

  // What callers do.

  /**
   * Waits for the next bytes; null when the program has ended its side.
   *
   * @throws IOException when the connection broke, so that more may have been meant to come
   */
  public @Nullable ByteBuffer read() throws IOException {
    ByteString next;
    try {
      next = inbox.take();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while reading from port " + port);
    }
    String why = broken;
    if (next == null) {
      if (why != null) {
        throw new IOException(why);
      }
      return null;
    }
    use();
    GuestChannel opened = channel;
    if (opened != null && !closedByGuest && inbox.size() < HALF_WINDOW) {
      try {
        opened.grant();
      } catch (AtollException e) {
        // The guest is gone; what it had sent is read to its end.
      }
    }
    return next.asReadOnlyByteBuffer();
  }

  /** Sends all of the buffer, waiting for the program to take it. */
  public void write(ByteBuffer bytes) throws IOException {
    GuestChannel opened = channel;
    if (opened == null) {
      throw new IOException("not connected");
    }
    try {
      while (bytes.hasRemaining()) {
        int size = Math.min(FrameCodec.MAX_DATA, bytes.remaining());
        Data.Builder data =
            Data.newBuilder().setStream(Stream.BYTES).setBytes(ByteString.copyFrom(bytes, size));
        opened.sendMetered(Frame.newBuilder().setData(data), settings.idleTimeout());
        use();
      }
    } catch (AtollException e) {
      throw broken(e);
    }
  }

  /** Ends this side; the program may go on to send. */
  public void end() throws IOException {
    GuestChannel opened = channel;
    try {
      if (opened != null && !closedByGuest) {
        opened.sendEof(Stream.BYTES);
      }
    } catch (AtollException e) {
      throw broken(e);
    }
  }

  private IOException broken(AtollException e) {
    String why = broken;
    return new IOException(why == null ? e.getMessage() : why, e);
  }

  void closeIfIdle(long now, Duration timeout) {
    if (now - lastActive > timeout.toNanos()) {
      breakOff("no byte passed for " + timeout.toSeconds() + " s");
      close();
    }
  }

  /** Does something when it has ended, however that came; at once if it has already. */
  public void whenOver(Runnable task) {
    var _ = over.thenRun(task);
  }

  /** It no longer counts. */
  void ended() {
    over.complete(true);
  }

  private void use() {
    lastActive = System.nanoTime();
    ingress.use();
  }

  /** Ends both directions at once; the program sees a reset unless both had ended. */
  @Override
  public void close() {
    breakOff("it was closed");
    inbox.close();
    GuestChannel opened = channel;
    if (opened != null && !closedByGuest) {
      try {
        opened.close();
      } catch (AtollException e) {
        // The guest is gone, and the connection with it.
      }
    }
    ingress.ended(this);
  }
}
