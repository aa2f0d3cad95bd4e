package dev.atoll.driver.testkit;

import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.wire.Frame;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All that a guest has sent, in order; readers keep their own places in it. */
final class FakePipe {
  private final List<byte[]> frames = new ArrayList<>();
  private boolean ended;

  synchronized void send(Frame frame) {
    sendRaw(FrameCodec.encode(frame));
  }

  synchronized void sendRaw(byte[] bytes) {
    frames.add(bytes);
    notifyAll();
  }

  synchronized void end() {
    ended = true;
    notifyAll();
  }

  synchronized int length() {
    return frames.size();
  }

  /** Waits for the frame at that place; null when the pipe has ended or the reader was closed. */
  synchronized byte @Nullable [] read(int place, FakeStream reader) throws InterruptedException {
    while (place >= frames.size() && !ended && !reader.closed()) {
      wait();
    }
    return place < frames.size() && !reader.closed() ? frames.get(place) : null;
  }

  /** Lets readers look whether they were closed. */
  synchronized void wakeReaders() {
    notifyAll();
  }
}
