package dev.atoll.engine.net;

import com.google.protobuf.ByteString;
import dev.atoll.engine.budget.BudgetAccount;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What a guest has sent on one channel and nobody has taken yet. Bounded by the guest's credit, and
 * in sum over all channels of a sandbox by a budget.
 */
final class Inbox {
  /** What a chunk costs besides its bytes, so that many tiny ones are not free. */
  private static final int CHUNK_COST = 96;

  private final AtomicLong budget;
  private final BudgetAccount memory;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<ByteString> chunks = new ArrayDeque<>();
  private long size;
  private boolean ended;
  private boolean closed;

  /**
   * @param budget bytes left to all inboxes of the sandbox
   * @param memory what its project pays from
   */
  Inbox(AtomicLong budget, BudgetAccount memory) {
    this.memory = memory;
    this.budget = budget;
  }

  /** Never blocks. False when the budget is used up. */
  boolean add(ByteString bytes) {
    lock.lock();
    try {
      if (closed || ended || bytes.isEmpty()) {
        return true;
      }
      long cost = cost(bytes);
      if (budget.addAndGet(-cost) < 0 || !memory.take(cost)) {
        budget.addAndGet(cost);
        return false;
      }
      chunks.add(bytes);
      size += bytes.size();
      changed.signalAll();
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void giveBack(long cost) {
    budget.addAndGet(cost);
    memory.give(cost);
  }

  private static long cost(ByteString bytes) {
    return (long) bytes.size() + CHUNK_COST;
  }

  void end() {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Drops everything; whoever waits gets the end. */
  void close() {
    lock.lock();
    try {
      closed = true;
      chunks.forEach(chunk -> giveBack(cost(chunk)));
      chunks.clear();
      size = 0;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the next chunk; null at the end. */
  @Nullable ByteString take() throws InterruptedException {
    lock.lock();
    try {
      // Whoever watches the connection closes an inbox that waits too long.
      while (chunks.isEmpty() && !ended && !closed) {
        changed.await();
      }
      ByteString next = chunks.poll();
      if (next != null) {
        size -= next.size();
        giveBack(cost(next));
      }
      return next;
    } finally {
      lock.unlock();
    }
  }

  /** Whether no more will be added, although some may wait. */
  boolean hasEnded() {
    lock.lock();
    try {
      return ended;
    } finally {
      lock.unlock();
    }
  }

  /** How many bytes wait. */
  long size() {
    lock.lock();
    try {
      return size;
    } finally {
      lock.unlock();
    }
  }
}
