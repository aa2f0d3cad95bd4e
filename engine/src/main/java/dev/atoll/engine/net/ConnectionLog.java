package dev.atoll.engine.net;

import dev.atoll.engine.ConnectionQuery;
import dev.atoll.engine.store.ConnectionRows;
import dev.atoll.model.AtollException;
import dev.atoll.model.Connection;
import dev.atoll.model.Page;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The record of what sandboxes wanted from the network, and of what was done with signed URLs of
 * their files. Rows are written in batches by a thread of its own; a row that changes before it is
 * written is written once. When the disk does not keep up, connections wait for it rather than go
 * unrecorded, but not for long.
 */
public final class ConnectionLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionLog.class);
  private static final int MAX_PENDING = 8192;
  private static final int MAX_BATCH = 1000;
  private static final long BATCH_MILLIS = 200;
  private static final long PATIENCE_MILLIS = 5000;
  private static final int PURGED_AT_ONCE = 5000;

  private final ConnectionRows rows;
  private final Map<String, Connection> pending = new LinkedHashMap<>();
  private final List<Consumer<Connection>> listeners = new CopyOnWriteArrayList<>();
  private final AtomicLong lost = new AtomicLong();
  private final Thread writer;
  private boolean writing;
  private boolean hurry;
  private boolean closed;

  ConnectionLog(ConnectionRows rows) {
    this.rows = rows;
    this.writer = Thread.ofVirtual().name("connection-log").start(this::writeAll);
  }

  /** Stops what it was returned for. */
  public interface Subscription extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Hands over each connection when it begins, is refused, and ends. The listener is called on the
   * connection's own thread and must not block.
   */
  public Subscription subscribe(Consumer<Connection> listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  /** Newest first; what has just happened is among them. */
  public Page<Connection> list(String project, ConnectionQuery query) {
    flush();
    return rows.list(project, query);
  }

  /** How many rows were lost because the disk did not take them. */
  public long lost() {
    return lost.get();
  }

  /** Writes a line, or what has become of one. */
  public void record(Connection connection) {
    tell(connection);
    synchronized (pending) {
      long end = System.nanoTime() + Duration.ofMillis(PATIENCE_MILLIS).toNanos();
      while (pending.size() >= MAX_PENDING && !pending.containsKey(connection.id()) && !closed) {
        if (System.nanoTime() - end > 0 || !pause(100)) {
          lost.incrementAndGet();
          return;
        }
      }
      pending.put(connection.id(), connection);
      pending.notifyAll();
    }
  }

  private void tell(Connection connection) {
    for (Consumer<Connection> listener : listeners) {
      try {
        listener.accept(connection);
      } catch (RuntimeException e) {
        LOG.warn("a listener of connections failed: {}", e.toString());
      }
    }
  }

  private boolean pause(long millis) {
    try {
      pending.wait(millis);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void writeAll() {
    for (List<Connection> batch = next(); !batch.isEmpty(); batch = next()) {
      write(batch);
    }
  }

  private void write(List<Connection> batch) {
    try {
      rows.write(batch);
    } catch (AtollException e) {
      lost.addAndGet(batch.size());
      LOG.error("{} connections could not be recorded: {}", batch.size(), e.toString());
    } finally {
      synchronized (pending) {
        writing = false;
        pending.notifyAll();
      }
    }
  }

  /** Waits for rows, and a little longer for more of them; empty when there will be no more. */
  private List<Connection> next() {
    synchronized (pending) {
      while (pending.isEmpty() && !closed) {
        if (!pause(BATCH_MILLIS * 10)) {
          return List.of();
        }
      }
      gather();
      List<Connection> batch = pending.values().stream().limit(MAX_BATCH).toList();
      batch.forEach(connection -> pending.remove(connection.id()));
      writing = !batch.isEmpty();
      pending.notifyAll();
      return new ArrayList<>(batch);
    }
  }

  private void gather() {
    long end = System.nanoTime() + Duration.ofMillis(BATCH_MILLIS).toNanos();
    for (long left = BATCH_MILLIS; left > 0; left = (end - System.nanoTime()) / 1_000_000) {
      if (closed || hurry || pending.size() >= MAX_BATCH || !pause(left)) {
        return;
      }
    }
  }

  /** Returns when all that was recorded before is written, or after some seconds. */
  void flush() {
    synchronized (pending) {
      long end = System.nanoTime() + Duration.ofMillis(PATIENCE_MILLIS).toNanos();
      while ((!pending.isEmpty() || writing) && System.nanoTime() - end < 0) {
        hurry = true;
        pending.notifyAll();
        if (!pause(BATCH_MILLIS)) {
          return;
        }
      }
      hurry = false;
    }
  }

  /** Forgets what is older, or more, than is kept. */
  void purge(Duration retention, int most) {
    int gone = PURGED_AT_ONCE;
    for (int round = 0; round < 100 && gone >= PURGED_AT_ONCE; round++) {
      gone = rows.purge(Instant.now().minus(retention), most, PURGED_AT_ONCE);
    }
  }

  /** Writes what is left; nothing is recorded afterwards. */
  @Override
  public void close() {
    synchronized (pending) {
      closed = true;
      pending.notifyAll();
    }
    try {
      writer.join(Duration.ofMillis(PATIENCE_MILLIS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
