package dev.atoll.engine.guest;

import com.google.protobuf.ByteString;
import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.ProtocolException;
import dev.atoll.protocol.wire.ChannelInfo;
import dev.atoll.protocol.wire.Close;
import dev.atoll.protocol.wire.Credit;
import dev.atoll.protocol.wire.Data;
import dev.atoll.protocol.wire.Eof;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Stream;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One channel of a guest with its flow control. Safe for use by many threads.
 *
 * <p>Lock order: a channel's lock is a leaf; nothing is called while it is held except {@link
 * Guest#send}.
 */
public final class GuestChannel {
  private static final int WINDOW = FrameCodec.INITIAL_WINDOW;
  private static final int GRANT_STEP = WINDOW / 4;

  private final Guest guest;
  private final int id;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition credit = lock.newCondition();

  private long received;
  private long receiveLimit = WINDOW;
  private long sent;
  private long sendLimit = WINDOW;
  private boolean closed;

  GuestChannel(Guest guest, int id) {
    this.guest = guest;
    this.id = id;
  }

  /**
   * Takes over a channel that an earlier process opened. What the guest has sent is what we have
   * received.
   */
  void resume(ChannelInfo info) {
    requireWindow("sent", info.getSent(), info.getSendLimit());
    requireWindow("received", info.getReceived(), info.getReceiveLimit());
    lock.lock();
    try {
      received = info.getSent();
      receiveLimit = info.getSendLimit();
      sent = info.getReceived();
      sendLimit = info.getReceiveLimit();
    } finally {
      lock.unlock();
    }
  }

  /** Neither side ever lets the other go further than a window beyond what has come. */
  private void requireWindow(String what, long count, long limit) {
    if (count < 0 || limit < count || limit - count > WINDOW) {
      throw new ProtocolException(
          "channel %d has %s %d bytes with a limit of %d".formatted(id, what, count, limit));
    }
  }

  public int id() {
    return id;
  }

  /** Pays for what the server holds because of this channel. */
  public BudgetAccount memory() {
    return guest.memory();
  }

  /**
   * Counts a metered frame from the guest; a guest that sends more than it may has broken the
   * protocol.
   */
  void count(int bytes) {
    lock.lock();
    try {
      received += bytes;
      if (received > receiveLimit) {
        throw new ProtocolException(
            "channel %d sent %d bytes, at most %d".formatted(id, received, receiveLimit));
      }
    } finally {
      lock.unlock();
    }
  }

  /** Lets the guest send a whole window beyond what it has sent. */
  public void grant() {
    long limit;
    lock.lock();
    try {
      limit = received + WINDOW;
      if (closed || limit - receiveLimit < GRANT_STEP) {
        return;
      }
      receiveLimit = limit;
    } finally {
      lock.unlock();
    }
    send(Frame.newBuilder().setCredit(Credit.newBuilder().setLimit(limit)));
  }

  /**
   * The guest takes more from us, though never more than a window beyond what it has got: credit
   * bounds what waits for it here.
   */
  void raise(long limit) {
    lock.lock();
    try {
      if (limit < 0 || limit - sent > WINDOW) {
        throw new ProtocolException(
            "channel %d gives credit up to %d after %d bytes".formatted(id, limit, sent));
      }
      sendLimit = Math.max(sendLimit, limit);
      credit.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Sends a frame that is not metered. */
  public void send(Frame.Builder frame) {
    guest.send(frame.setChannel(id).build());
  }

  /**
   * Sends a metered frame, waiting for credit.
   *
   * @throws AtollException {@link ErrorCode#TIMEOUT} when the guest takes nothing for that long
   */
  public void sendMetered(Frame.Builder builder, Duration patience) {
    Frame frame = builder.setChannel(id).build();
    int size = frame.getSerializedSize();
    lock.lock();
    try {
      long nanos = patience.toNanos();
      while (!closed && sent + size > sendLimit) {
        if (nanos <= 0) {
          throw new AtollException(ErrorCode.TIMEOUT, "the sandbox does not take its input");
        }
        nanos = credit.awaitNanos(nanos);
      }
      if (closed) {
        throw new AtollException(ErrorCode.CONFLICT, "what was to take this input has ended");
      }
      sent += size;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AtollException(ErrorCode.SHUTTING_DOWN, "interrupted while sending to the sandbox");
    } finally {
      lock.unlock();
    }
    guest.send(frame);
  }

  /** Sends bytes on a stream in as many frames as it takes. */
  public void sendData(Stream stream, byte[] bytes, int offset, int length, Duration patience) {
    for (int done = 0; done < length; done += FrameCodec.MAX_DATA) {
      int size = Math.min(FrameCodec.MAX_DATA, length - done);
      sendMetered(
          Frame.newBuilder()
              .setData(
                  Data.newBuilder()
                      .setStream(stream)
                      .setBytes(ByteString.copyFrom(bytes, offset + done, size))),
          patience);
    }
  }

  public void sendEof(Stream stream) {
    send(Frame.newBuilder().setEof(Eof.newBuilder().setStream(stream)));
  }

  /** Ends what is behind the channel at once; frames that still come are dropped. */
  public void close() {
    if (retire()) {
      guest.forget(this);
      send(Frame.newBuilder().setClose(Close.getDefaultInstance()));
    }
  }

  /** Like {@link #close}; {@link Guest#awaitEndings} waits until nothing of it is left. */
  public void end() {
    if (retire()) {
      guest.forget(this);
      guest.ending(id);
      send(Frame.newBuilder().setClose(Close.getDefaultInstance()));
    }
  }

  /** Drops the channel, which the last frame of either side has closed. */
  public void finished() {
    guest.forget(this);
  }

  /** The guest has closed the channel by itself. */
  boolean retire() {
    lock.lock();
    try {
      if (closed) {
        return false;
      }
      closed = true;
      credit.signalAll();
      return true;
    } finally {
      lock.unlock();
    }
  }
}
