package dev.atoll.driver.testkit;

import dev.atoll.driver.FrameStream;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.ProtocolException;
import dev.atoll.protocol.wire.Frame;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A host's end of a fake guest's stream; starts with all that the guest has ever sent. */
final class FakeStream implements FrameStream {
  private final FakeGuest guest;
  private final Consumer<ProtocolException> broken;
  private final long replayed;
  private int place;
  private volatile boolean closed;

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

  @Override
  public void write(Frame frame) throws IOException {
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
    guest.output().wakeReaders();
  }
}
