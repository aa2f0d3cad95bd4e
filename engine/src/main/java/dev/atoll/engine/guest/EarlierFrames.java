package dev.atoll.engine.guest;

import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.ProtocolException;
import dev.atoll.protocol.wire.Frame;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * What a guest sent before it told which channels it has. It is kept as bytes, since small frames
 * take many times their size as objects, and there is a bound: what a keeper retains and what is on
 * its way fits in, and a guest that goes on without an answer has broken the protocol. Many guests
 * are taken over at once when a server starts: beyond a little, each waits for its project's room.
 */
final class EarlierFrames {
  static final int MOST_BYTES = 4 << 20;

  /** So much is free, and usually enough. */
  private static final int FREE_BYTES = 64 << 10;

  private static final int STEP = 256 << 10;
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration POLL = Duration.ofMillis(20);
  private static final int HEADER = 4;

  private final BudgetAccount memory;
  private long paid;
  private int paidFor = FREE_BYTES;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private int highestOfHost;
  private int highestOfGuest;

  EarlierFrames(BudgetAccount memory) {
    this.memory = memory;
  }

  /** Keeps a frame; may wait for room. */
  void add(Frame frame) {
    int id = frame.getChannel();
    if (GuestOpened.isGuests(id)) {
      highestOfGuest = Math.max(highestOfGuest, id);
    } else {
      highestOfHost = Math.max(highestOfHost, id);
    }
    byte[] encoded = FrameCodec.encode(frame);
    if (bytes.size() + HEADER + encoded.length > MOST_BYTES) {
      throw new ProtocolException(
          "more than " + MOST_BYTES + " bytes of frames before the list of channels");
    }
    if (bytes.size() + HEADER + encoded.length > paidFor) {
      pay();
    }
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes.write(encoded.length >>> shift);
    }
    bytes.writeBytes(encoded);
  }

  /** Three times: what grows is copied, and it is copied again to be read. */
  private void pay() {
    long cost = 3L * STEP;
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!memory.take(cost)) {
      if (System.nanoTime() - end > 0) {
        throw new ProtocolException("there is no memory for what came before the channels");
      }
      LockSupport.parkNanos(POLL.toNanos());
    }
    paid += cost;
    paidFor += STEP;
  }

  /** Nothing is replayed any more. */
  void release() {
    memory.give(paid);
    paid = 0;
  }

  /** The highest channel of ours among them, 0 for none. */
  int highestOfHost() {
    return highestOfHost;
  }

  /** The same of those that the guest opens. */
  int highestOfGuest() {
    return highestOfGuest;
  }

  /** Gives them out in their order. */
  void replay(Consumer<Frame> taker) throws IOException {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      while (in.available() > 0) {
        taker.accept(FrameCodec.decode(in.readNBytes(in.readInt())));
      }
    }
  }
}
