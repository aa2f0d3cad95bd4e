package dev.atoll.engine.guest;

import com.google.protobuf.ByteString;
import dev.atoll.driver.FrameStream;
import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.engine.budget.FairBudget;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.protocol.ProtocolException;
import dev.atoll.protocol.wire.ChannelInfo;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.GetChannels;
import dev.atoll.protocol.wire.GetPorts;
import dev.atoll.protocol.wire.GetStats;
import dev.atoll.protocol.wire.Hello;
import dev.atoll.protocol.wire.Limits;
import dev.atoll.protocol.wire.Port;
import dev.atoll.protocol.wire.Quiesce;
import dev.atoll.protocol.wire.Stats;
import dev.atoll.protocol.wire.Thaw;
import dev.atoll.protocol.wire.Variable;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The agent inside one machine. One thread reads its frames and hands each to the handler of its
 * channel; any thread may send.
 *
 * <p>A guest that breaks the protocol, or whose stream ends, is lost: every handler and everyone
 * who waits is told, and the owner gets the reason once.
 */
public final class Guest {
  private static final Logger LOG = LoggerFactory.getLogger(Guest.class);
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int SEED_BYTES = 64;
  private static final int MAX_CHANNEL_INFOS = 4096 + 2 * GuestOpened.MAX_OPEN;

  /** The agent takes no longer ones from us, so it has none. */
  private static final int MAX_TAG = 256;

  /** How many frames are read before others get the processor. */
  private static final int TURN = 64;

  private final FrameStream stream;
  private final Supplier<String> why;
  private final Consumer<Loss> onLoss;
  private final BudgetAccount memory = new BudgetAccount(FairBudget.HEAP, BudgetAccount.NOBODY);
  private final Map<Integer, Entry> channels = new ConcurrentHashMap<>();
  private final Endings endings = new Endings();
  private final AtomicInteger nextChannel = new AtomicInteger(1);
  private final GuestOpened opened = new GuestOpened(this, memory);
  private final Object controlLock = new Object();
  private final List<ChannelInfo> inventory = new ArrayList<>();
  private final Set<Integer> listed = new HashSet<>();

  /** Held while a frame is written, so that none slips in behind Quiesce. */
  private final ReentrantLock sending = new ReentrantLock();

  private final Deque<Frame> held = new ArrayDeque<>();
  private volatile boolean quiesced;

  private final CompletableFuture<Hello> hello = new CompletableFuture<>();

  private volatile @Nullable CompletableFuture<Frame> answer;
  private volatile Frame.@Nullable BodyCase awaited;
  private volatile @Nullable Loss loss;

  /**
   * Why a guest is gone; {@code protocol} when it broke the protocol, otherwise its stream just
   * ended.
   */
  public record Loss(boolean protocol, String reason) {}

  private record Entry(GuestChannel channel, ChannelHandler handler) {}

  /** Makes a handler for a channel that the guest still has from before. */
  public interface Adopter {
    @Nullable ChannelHandler adopt(ChannelInfo info, GuestChannel channel);
  }

  public Guest(FrameStream stream, Consumer<Loss> onLoss) {
    this(stream, () -> "the sandbox's stream ended", onLoss);
  }

  /**
   * @param why says why the stream has ended when it has; may wait a little for the answer
   */
  public Guest(FrameStream stream, Supplier<String> why, Consumer<Loss> onLoss) {
    this.stream = stream;
    this.why = why;
    this.onLoss = onLoss;
  }

  /**
   * Says who decides on what the guest wants from the network from now on; without one, all of it
   * is refused.
   */
  public void egress(EgressListener listener) {
    opened.listener(listener);
  }

  /** What last went wrong on the network since then; null for nothing. */
  public @Nullable NetworkTrouble troubleSince(Instant then) {
    return opened.listener().troubleSince(then);
  }

  /** Pays for what the server holds because of this guest. */
  public BudgetAccount memory() {
    return memory;
  }

  /** Starts to read a machine that was just booted or restored. */
  public void start(String name) {
    Thread.ofVirtual().name("guest-" + name).start(this::readAll);
  }

  /**
   * Takes over a machine that has a past, in an earlier process of the server or before a
   * checkpoint: wakes it, asks which channels it has, lets the adopter make their handlers, and
   * gives them the retained frames before anything new. Returns when that is done.
   */
  public void recover(String name, Thaw thaw, Adopter adopter, Duration deadline) {
    CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
    Thread.ofVirtual()
        .name("guest-" + name)
        .start(
            () -> {
              try {
                adoptAll(thaw, adopter);
                done.complete(null);
                readAll();
              } catch (IOException | RuntimeException e) {
                lose(new Loss(e instanceof ProtocolException, String.valueOf(e.getMessage())));
                done.completeExceptionally(e);
              }
            });
    await(done, deadline);
  }

  private void adoptAll(Thaw thaw, Adopter adopter) throws IOException {
    EarlierFrames earlier = new EarlierFrames(memory);
    try {
      adoptAll(thaw, adopter, earlier);
    } finally {
      earlier.release();
    }
  }

  private void adoptAll(Thaw thaw, Adopter adopter, EarlierFrames earlier) throws IOException {
    // Thaw first, always: a machine that was restored waits for it, one whose server died in the
    // middle of a checkpoint does too, and any other is not disturbed by it.
    send(Frame.newBuilder().setThaw(thaw).build());
    send(Frame.newBuilder().setGetChannels(GetChannels.getDefaultInstance()).build());
    long replay = stream.replayed();
    boolean last = false;
    for (long number = 0; !last; number++) {
      Frame frame = stream.read();
      if (frame == null) {
        throw new IOException("the stream ended");
      }
      letOthersRun(number);
      // An earlier process may have asked the same; only the answer after the replay is ours.
      if (frame.hasChannels() && number >= replay) {
        collect(frame);
        last = frame.getChannels().getLast();
      } else {
        earlier.add(frame);
      }
    }
    int highest = earlier.highestOfHost();
    opened.seen(earlier.highestOfGuest());
    for (ChannelInfo info : inventory) {
      highest = highest(highest, info.getChannel());
      GuestChannel channel = new GuestChannel(this, info.getChannel());
      channel.resume(info);
      ChannelHandler handler =
          GuestOpened.isGuests(info.getChannel()) ? null : adopter.adopt(info, channel);
      if (handler == null) {
        channel.close();
      } else {
        channels.put(info.getChannel(), new Entry(channel, handler));
      }
    }
    inventory.clear();
    listed.clear();
    if (GuestOpened.isGuests(highest + 1)) {
      throw new ProtocolException("no channel is left to the host");
    }
    nextChannel.set(highest + 1);
    earlier.replay(
        frame -> {
          Entry entry = channels.get(frame.getChannel());
          if (entry != null) {
            // Already counted: the inventory was taken after these were sent.
            entry.handler().frame(frame);
          }
        });
    channels.values().forEach(entry -> entry.channel().grant());
  }

  /** The guest's own ids are none of those that we count on from. */
  private int highest(int before, int id) {
    if (GuestOpened.isGuests(id)) {
      opened.seen(id);
      return before;
    }
    return Math.max(before, id);
  }

  private void collect(Frame frame) {
    for (ChannelInfo info : frame.getChannels().getChannelsList()) {
      if (info.getChannel() <= 0 || !listed.add(info.getChannel())) {
        throw new ProtocolException("channel " + info.getChannel() + " is listed wrongly or twice");
      }
      if (info.getTag().length() > MAX_TAG) {
        throw new ProtocolException(
            "channel %d has a tag of %d characters, at most %d"
                .formatted(info.getChannel(), info.getTag().length(), MAX_TAG));
      }
      inventory.add(info);
      if (inventory.size() > MAX_CHANNEL_INFOS) {
        throw new ProtocolException("more than " + MAX_CHANNEL_INFOS + " channels");
      }
    }
  }

  /**
   * A guest that never stops sending would never let go of the processor: threads like this one are
   * not interrupted to let others run, and there are as many processors for all of them as the host
   * has. It sleeps for a moment instead of yielding: threads that yield to each other can keep one
   * that has just begun from ever running.
   */
  private static void letOthersRun(long frames) {
    if (frames % TURN == TURN - 1) {
      LockSupport.parkNanos(1);
    }
  }

  private void readAll() {
    Loss end;
    try {
      long frames = 0;
      for (Frame frame = stream.read(); frame != null; frame = stream.read()) {
        dispatch(frame);
        letOthersRun(frames++);
      }
      end = new Loss(false, why.get());
    } catch (ProtocolException e) {
      end = new Loss(true, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      end = new Loss(false, "the sandbox's stream broke: " + e.getMessage());
    } catch (Unreachable e) {
      // A frame came just before the end, and what it called for just after it.
      end = new Loss(false, why.get());
    } catch (RuntimeException e) {
      end = loss == null ? tripped(e) : new Loss(false, why.get());
    }
    lose(end);
  }

  /** A handler that trips over a frame is a defect of ours, but it must cost this sandbox only. */
  private static Loss tripped(RuntimeException e) {
    LOG.error("a frame of the sandbox could not be handled", e);
    return new Loss(true, "internal error: " + e);
  }

  private void dispatch(Frame frame) {
    if (frame.getChannel() == 0) {
      if (frame.hasHello()) {
        hello.complete(frame.getHello());
      }
      CompletableFuture<Frame> waiting = answer;
      if (waiting != null && frame.getBodyCase() == awaited) {
        waiting.complete(frame);
      }
      return;
    }
    Entry entry = channels.get(frame.getChannel());
    if (entry == null) {
      dispatchUnknown(frame);
      return;
    }
    switch (frame.getBodyCase()) {
      case CONNECT, RESOLVE ->
          throw new ProtocolException("channel " + frame.getChannel() + " was opened again");
      case CREDIT -> entry.channel().raise(frame.getCredit().getLimit());
      case DATA, ENTRIES, EVENT, RESULT -> {
        entry.channel().count(frame.getSerializedSize());
        entry.handler().frame(frame);
      }
      default -> entry.handler().frame(frame);
    }
  }

  /** A frame that is late, which is nothing, or one that opens a channel of the guest. */
  private void dispatchUnknown(Frame frame) {
    int id = frame.getChannel();
    if (!GuestOpened.isGuests(id)) {
      if (frame.hasClosed()) {
        endings.confirmed(id);
      }
      if (frame.hasConnect() || frame.hasResolve()) {
        throw new ProtocolException("channel " + id + " is not the guest's to open");
      }
      return;
    }
    if (opened.opens(frame)) {
      GuestChannel channel = new GuestChannel(this, id);
      // The answer may be sent, and the channel forgotten, before the handler is known here.
      synchronized (channel) {
        ChannelHandler handler = opened.accept(channel, frame);
        channels.put(id, new Entry(channel, handler));
      }
    }
  }

  private void lose(Loss end) {
    synchronized (controlLock) {
      if (loss != null) {
        return;
      }
      loss = end;
    }
    CompletableFuture<Frame> waiting = answer;
    if (waiting != null) {
      waiting.completeExceptionally(gone(end));
    }
    hello.completeExceptionally(gone(end));
    for (Entry entry : channels.values()) {
      entry.channel().retire();
      entry.handler().lost(end.reason());
    }
    channels.clear();
    opened.allClosed();
    endings.allConfirmed();
    onLoss.accept(end);
  }

  /** The guest has said what it must not, as somebody found out who looked closer. */
  public void broken(String reason) {
    lose(new Loss(true, reason));
  }

  /** A channel is about to be closed whose end others will wait for. */
  void ending(int channel) {
    endings.begin(channel);
    if (loss != null) {
      endings.allConfirmed();
    }
  }

  /**
   * Waits until the guest has nothing left of what was ended with {@link GuestChannel#end}: what a
   * bomb still holds would be missing to whatever is started now. After that time it goes on
   * nevertheless.
   */
  public void awaitEndings(Duration patience) {
    endings.await(patience);
  }

  /** Opens a channel with its first frame. */
  public GuestChannel open(Frame.Builder opening, ChannelHandler handler) {
    // The agent wants ids in the order of their openings.
    sending.lock();
    try {
      GuestChannel channel = new GuestChannel(this, nextChannel.getAndIncrement());
      channels.put(channel.id(), new Entry(channel, handler));
      Loss end = loss;
      if (end != null) {
        channels.remove(channel.id());
        throw gone(end);
      }
      channel.send(opening);
      return channel;
    } finally {
      sending.unlock();
    }
  }

  /** Drops a channel that either side has closed. */
  public void forget(GuestChannel channel) {
    channel.retire();
    // Not before a channel of the guest's has been entered.
    synchronized (channel) {
      if (channels.remove(channel.id()) != null && GuestOpened.isGuests(channel.id())) {
        opened.closed(channel.id());
      }
    }
  }

  /** How many channels the guest has open by itself. */
  public int guestOpened() {
    return opened.open();
  }

  void send(Frame frame) {
    Loss end = loss;
    if (end != null) {
      throw gone(end);
    }
    sending.lock();
    try {
      if (quiesced) {
        held.add(frame);
      } else {
        stream.write(frame);
      }
    } catch (IOException e) {
      throw new Unreachable(e);
    } finally {
      sending.unlock();
    }
  }

  /** The stream to the guest is closed or broken. */
  private static final class Unreachable extends AtollException {
    private static final long serialVersionUID = 1;

    Unreachable(IOException cause) {
      super(
          ErrorCode.SANDBOX_FAILED,
          "the sandbox cannot be reached: " + cause.getMessage(),
          "look at its state, and create a new one if it has ended",
          Map.of(),
          cause);
    }
  }

  /** Waits for Hello of a machine that was booted. */
  public Hello hello(Duration deadline) {
    return await(hello, deadline);
  }

  public Stats stats(Duration deadline) {
    return ask(
            Frame.newBuilder().setGetStats(GetStats.getDefaultInstance()).build(),
            Frame.BodyCase.STATS,
            deadline)
        .getStats();
  }

  /** The ports on which programs listen. */
  public List<Port> ports(Duration deadline) {
    return ask(
            Frame.newBuilder().setGetPorts(GetPorts.getDefaultInstance()).build(),
            Frame.BodyCase.PORTS,
            deadline)
        .getPorts()
        .getPortsList();
  }

  /**
   * After this the machine may be checkpointed. What anybody sends meanwhile is held back until
   * {@link #thaw}; it is bounded by the credit that the guest has given.
   */
  public void quiesce(Duration deadline) {
    ask(
        Frame.newBuilder().setQuiesce(Quiesce.getDefaultInstance()).build(),
        Frame.BodyCase.QUIESCED,
        deadline);
  }

  /** Whether a file is being moved or a watch stands: something that a caller waits for. */
  public boolean hasTransfers() {
    return channels.values().stream().anyMatch(entry -> entry.handler().isTransfer());
  }

  /** Lets a machine go on after a checkpoint or, with a fresh identity, after a restore. */
  public void thaw(Thaw thaw, Duration deadline) {
    ask(Frame.newBuilder().setThaw(thaw).build(), Frame.BodyCase.THAWED, deadline);
  }

  /** What a guest is told when it goes on; one that was restored takes on a new identity. */
  public static Thaw thaw(
      boolean restored, String hostname, Map<String, String> env, Limits limits) {
    byte[] seed = new byte[SEED_BYTES];
    RANDOM.nextBytes(seed);
    Instant now = Instant.now();
    return Thaw.newBuilder()
        .setRestored(restored)
        .setWallClockNanos(TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano())
        .setSeed(ByteString.copyFrom(seed))
        .setHostname(hostname)
        .addAllEnv(variables(env))
        .setLimits(limits)
        .build();
  }

  /** Environment variables as the protocol has them. */
  public static List<Variable> variables(Map<String, String> env) {
    return env.entrySet().stream()
        .map(e -> Variable.newBuilder().setName(e.getKey()).setValue(e.getValue()).build())
        .toList();
  }

  private Frame ask(Frame question, Frame.BodyCase expected, Duration deadline) {
    // One question at a time: the control channel has no numbers to match answers by.
    synchronized (this) {
      awaitThaw(question, deadline);
      CompletableFuture<Frame> waiting = new CompletableFuture<>();
      awaited = expected;
      answer = waiting;
      Loss end = loss;
      if (end != null) {
        throw gone(end);
      }
      try {
        sendQuestion(question);
        return await(waiting, deadline);
      } finally {
        answer = null;
        awaited = null;
        notifyAll();
      }
    }
  }

  /** A question to a quiet agent waits for its thaw, and must not keep that one waiting. */
  private synchronized void awaitThaw(Frame question, Duration deadline) {
    long until = System.nanoTime() + deadline.toNanos();
    try {
      for (long left = deadline.toMillis(); quiesced && !question.hasThaw(); ) {
        if (left <= 0) {
          throw new AtollException(ErrorCode.TIMEOUT, "the sandbox is being saved");
        }
        wait(left);
        left = (until - System.nanoTime()) / 1_000_000;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AtollException(
          ErrorCode.SHUTTING_DOWN, "interrupted while waiting for the sandbox");
    }
  }

  /**
   * Quiesce is the last frame before a checkpoint and Thaw the first one after it: what others send
   * in between waits, in its order.
   */
  private void sendQuestion(Frame question) {
    sending.lock();
    try {
      if (question.hasThaw()) {
        quiesced = false;
      }
      send(question);
      if (question.hasQuiesce()) {
        quiesced = true;
      }
      while (!quiesced && !held.isEmpty()) {
        send(held.removeFirst());
      }
    } finally {
      sending.unlock();
    }
  }

  private static <T extends @Nullable Object> T await(
      CompletableFuture<T> future, Duration deadline) {
    try {
      return future.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new AtollException(
          ErrorCode.TIMEOUT, "the sandbox did not answer within " + deadline.toMillis() + " ms");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AtollException(
          ErrorCode.SHUTTING_DOWN, "interrupted while waiting for the sandbox");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AtollException known) {
        throw known;
      }
      throw new AtollException(
          ErrorCode.SANDBOX_FAILED, "the sandbox is lost", null, Map.of(), e.getCause());
    }
  }

  private static AtollException gone(Loss end) {
    return new AtollException(
        end.protocol() ? ErrorCode.PROTOCOL_ERROR : ErrorCode.SANDBOX_FAILED,
        "the sandbox has ended: " + end.reason(),
        "look at its state, and create a new one");
  }
}
