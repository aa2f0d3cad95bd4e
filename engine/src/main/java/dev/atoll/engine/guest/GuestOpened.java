package dev.atoll.engine.guest;

import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.protocol.ProtocolException;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Refused;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The channels that a guest opens by itself. Their ids grow, and only so many may be open: beyond a
 * first bound new ones are refused, and beyond a second, which a guest reaches only by not reading
 * the refusals, it has broken the protocol. Each that is not refused is paid for.
 */
final class GuestOpened {
  /** Ids from here on belong to the guest. */
  static final int FIRST_ID = 1 << 30;

  static final int MAX_OPEN = 4096;
  private static final int MAX_UNREAD = 2 * MAX_OPEN;

  /** What a connection takes on this side besides what waits in it: a thread or two, and a row. */
  private static final long COST = 8 << 10;

  private final NoEgress full;
  private final BudgetAccount memory;
  private final Set<Integer> paid = ConcurrentHashMap.newKeySet();
  private final AtomicInteger open = new AtomicInteger();
  private volatile EgressListener listener;
  private int last = FIRST_ID - 1;

  GuestOpened(Guest guest, BudgetAccount memory) {
    this.memory = memory;
    this.listener = new NoEgress(guest, Refused.Reason.POLICY, "this sandbox has no network");
    this.full =
        new NoEgress(
            guest,
            Refused.Reason.LIMIT,
            "the sandbox or its project has as many connections open as it may");
  }

  void listener(EgressListener newListener) {
    listener = newListener;
  }

  EgressListener listener() {
    return listener;
  }

  static boolean isGuests(int id) {
    return id >= FIRST_ID;
  }

  /** Ids up to this one were used in an earlier life of the guest. */
  void seen(int id) {
    last = Math.max(last, id);
  }

  /** What the guest sent on a channel of its own that is not open: it opens it, or it is late. */
  boolean opens(Frame frame) {
    int id = frame.getChannel();
    if (frame.hasConnect() || frame.hasResolve()) {
      if (id <= last) {
        throw new ProtocolException("channel " + id + " was opened again");
      }
      last = id;
      return true;
    }
    if (id > last) {
      throw new ProtocolException(frame.getBodyCase() + " on channel " + id + ", never opened");
    }
    return false;
  }

  ChannelHandler accept(GuestChannel channel, Frame frame) {
    int now = open.incrementAndGet();
    if (now > MAX_UNREAD) {
      throw new ProtocolException("more than " + MAX_UNREAD + " channels opened by the guest");
    }
    EgressListener taker = now > MAX_OPEN || !pay(channel.id()) ? full : listener;
    return frame.hasConnect()
        ? taker.connect(channel, frame.getConnect())
        : taker.resolve(channel, frame.getResolve());
  }

  private boolean pay(int id) {
    boolean enough = memory.take(COST);
    if (enough) {
      paid.add(id);
    }
    return enough;
  }

  void closed(int id) {
    open.decrementAndGet();
    giveBack(id);
  }

  /** The guest is gone. */
  void allClosed() {
    paid.forEach(this::giveBack);
  }

  private void giveBack(int id) {
    if (paid.remove(id)) {
      memory.give(COST);
    }
  }

  int open() {
    return open.get();
  }
}
