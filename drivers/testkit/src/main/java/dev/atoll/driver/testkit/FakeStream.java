package dev.atoll.driver.testkit;

import dev.atoll.driver.FrameStream;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.ProtocolException;
import dev.atoll.protocol.wire.Frame;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A host's end of a fake guest's stream; starts with all that the guest has ever sent. */
final class FakeStream implements FrameStream {
  private final FakeGuest guest;
  private final Consumer<ProtocolException> broken;
  private final long replayed;
  private int place;
  private volatile boolean closed;
  private final CountDownLatch closing = new CountDownLatch(1);
  private volatile @Nullable CountDownLatch deaf;

  FakeStream(FakeGuest guest, long replayed, Consumer<ProtocolException> broken) {
    this.guest = guest;
    this.broken = broken;
    this.replayed = replayed;
  }

  boolean closed() {
    return closed;
  }

  @Override
  public @Nullable Frame read() throws IOException {
    byte[] bytes;
    try {
      bytes = guest.output().read(place, this);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException();
    }
    if (bytes == null) {
      return null;
    }
    place++;
    try {
      return FrameCodec.decode(bytes);
    } catch (ProtocolException e) {
      broken.accept(e);
      throw e;
    }
  }

  /** From now on writes wait until the stream is closed; the first one that does counts down. */
  void deafen(CountDownLatch waiting) {
    deaf = waiting;
  }

  @Override
  public void write(Frame frame) throws IOException {
    CountDownLatch waiting = deaf;
    if (waiting != null) {
      waiting.countDown();
      try {
        closing.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException();
      }
    }
    if (closed || guest.dead()) {
      throw new IOException("the machine has ended");
    }
    guest.receive(FrameCodec.decode(FrameCodec.encode(frame)));
  }

  @Override
  public long replayed() {
    return replayed;
  }

  void close() {
    closed = true;
    closing.countDown();
    guest.output().wakeReaders();
  }
}
