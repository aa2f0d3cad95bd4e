package dev.atoll.engine.file;

import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.engine.guest.ChannelHandler;
import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.guest.GuestChannel;
import dev.atoll.engine.run.GuestFailure;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.ProtocolException;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Stream;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One question to the agent with all its answers, taken one by one. The guest is held back while
 * they are not taken, so that no transfer needs more memory than a window.
 */
final class Transfer implements ChannelHandler, AutoCloseable {
  /** Stands for the end of the guest; no frame that was received is without a body. */
  private static final Frame LOST = Frame.getDefaultInstance();

  private static final int HALF_WINDOW = FrameCodec.INITIAL_WINDOW / 2;

  /** A beginning, an end for each stream, an end of it all: no question has more of them. */
  private static final int MAX_UNMETERED = 8;

  private final Guest guest;
  private final String subject;
  private final BlockingQueue<Frame> answers = new LinkedBlockingQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicInteger unmetered = new AtomicInteger();
  private final GuestChannel channel;
  private volatile String lostReason = "";
  private volatile boolean over;
  private volatile boolean crowded;
  private volatile boolean closed;
  private final BudgetAccount memory;

  Transfer(Guest guest, String subject, Frame.Builder question) {
    this.guest = guest;
    this.subject = subject;
    this.memory = guest.memory();
    this.channel = guest.open(question, this);
  }

  @Override
  public void frame(Frame frame) {
    switch (frame.getBodyCase()) {
      case FAILED, OK, WRITTEN, EOF, EXIT -> over = over || closesChannel(frame);
      default -> {}
    }
    if (!isMetered(frame) && unmetered.incrementAndGet() > MAX_UNMETERED) {
      throw new ProtocolException(
          "more than " + MAX_UNMETERED + " answers to one question about " + subject);
    }
    int size = frame.getSerializedSize();
    if (isMetered(frame) && (crowded || !memory.take(size))) {
      lackMemory();
      return;
    }
    waiting.addAndGet(size);
    answers.add(frame);
    if (closed) {
      dropAll();
    }
  }

  /** What has been answered so far is of no use without this. */
  private void lackMemory() {
    if (!crowded) {
      crowded = true;
      answers.add(LOST);
    }
  }

  /** Credit bounds how many of these wait. */
  private static boolean isMetered(Frame frame) {
    return switch (frame.getBodyCase()) {
      case DATA, ENTRIES, EVENT, RESULT -> true;
      default -> false;
    };
  }

  private static boolean closesChannel(Frame frame) {
    return switch (frame.getBodyCase()) {
      case FAILED, WRITTEN -> true;
      case EOF -> frame.getEof().getStream() == Stream.BYTES;
      default -> false;
    };
  }

  @Override
  public boolean isTransfer() {
    return true;
  }

  @Override
  public void lost(String reason) {
    lostReason = reason;
    over = true;
    answers.add(LOST);
  }

  GuestChannel channel() {
    return channel;
  }

  /** Whether the guest has already said its last word. */
  boolean isOver() {
    return over;
  }

  /**
   * The next answer.
   *
   * @throws AtollException for Failed, when the guest is gone, and when nothing comes in time
   */
  Frame next(Duration patience) {
    Frame frame = poll(patience);
    if (frame == null) {
      throw new AtollException(
          ErrorCode.TIMEOUT,
          subject + ": the sandbox did not answer within " + patience.toSeconds() + " s");
    }
    return frame;
  }

  /**
   * The next answer, which has to be of that kind.
   *
   * @throws AtollException as {@link #next}, and for any other answer, which ends the guest
   */
  Frame expect(Frame.BodyCase wanted, Duration patience) {
    Frame frame = next(patience);
    if (frame.getBodyCase() != wanted) {
      String reason =
          "a question about %s was answered with %s instead of %s"
              .formatted(subject, frame.getBodyCase(), wanted);
      guest.broken(reason);
      throw new AtollException(
          ErrorCode.PROTOCOL_ERROR,
          "the sandbox has ended: " + reason,
          "look at its state, and create a new one");
    }
    return frame;
  }

  /** The same, but null when nothing comes in time. */
  @Nullable Frame poll(Duration patience) {
    Frame frame;
    try {
      frame = answers.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AtollException(
          ErrorCode.SHUTTING_DOWN, "interrupted while waiting for the sandbox");
    }
    if (frame == null) {
      return null;
    }
    if (frame.getBodyCase() == Frame.BodyCase.BODY_NOT_SET) {
      if (crowded) {
        throw BudgetAccount.full(subject);
      }
      throw new AtollException(
          ErrorCode.SANDBOX_FAILED,
          "the sandbox has ended: " + lostReason,
          "look at its state, and create a new one",
          Map.of(),
          null);
    }
    pass(frame);
    if (waiting.addAndGet(-frame.getSerializedSize()) < HALF_WINDOW && !over) {
      channel.grant();
    }
    if (frame.hasFailed()) {
      over = true;
      guest.forget(channel);
      throw GuestFailure.ofFile(frame.getFailed(), subject);
    }
    return frame;
  }

  private void pass(Frame frame) {
    if (isMetered(frame)) {
      memory.give(frame.getSerializedSize());
    }
  }

  private void dropAll() {
    for (Frame frame = answers.poll(); frame != null; frame = answers.poll()) {
      pass(frame);
    }
  }

  /** Nothing more will be asked of it; the guest drops what it has not sent. */
  @Override
  public void close() {
    if (over) {
      guest.forget(channel);
    } else {
      over = true;
      try {
        channel.close();
      } catch (AtollException e) {
        // The guest is gone, and the transfer with it.
      }
    }
    // Of those that the reader handed over meanwhile, too: the channel is forgotten by now.
    closed = true;
    dropAll();
  }

  /** The channel closed itself with the last answer. */
  void finished() {
    over = true;
    guest.forget(channel);
  }
}
