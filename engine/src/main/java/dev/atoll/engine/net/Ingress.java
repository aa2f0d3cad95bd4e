package dev.atoll.engine.net;

import dev.atoll.engine.guest.Guest;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The way into one sandbox: the connections that stand to its ports. Those of a machine that the
 * sandbox leaves end with that machine.
 */
public final class Ingress implements AutoCloseable {
  /** What programs may have sent that nobody has read, over all connections. */
  private static final long BUFFERS = 64L << 20;

  private final Runnable used;
  private final AtomicLong buffers = new AtomicLong(BUFFERS);
  private final Set<PortConnection> connections = ConcurrentHashMap.newKeySet();
  private final AtomicInteger open = new AtomicInteger();
  private volatile boolean closed;

  /**
   * @param used called whenever bytes pass, since that is a use of the sandbox
   */
  public Ingress(Runnable used) {
    this.used = used;
  }

  /**
   * Connects to a port, and returns when the connection stands.
   *
   * @throws AtollException {@link ErrorCode#PORT_NOT_LISTENING} when no program listens there
   */
  public PortConnection open(Guest guest, int port, PortSettings settings) {
    if (open.incrementAndGet() > settings.maxConnections()) {
      open.decrementAndGet();
      throw new AtollException(
          ErrorCode.QUOTA_EXCEEDED,
          "%d connections to ports of the sandbox are open".formatted(settings.maxConnections()),
          "close some of them, or raise ports.max-connections",
          Map.of("limit", settings.maxConnections()),
          null);
    }
    PortConnection connection = new PortConnection(this, port, settings, buffers, guest.memory());
    connections.add(connection);
    boolean done = false;
    try {
      connection.dial(guest);
      if (closed) {
        throw new AtollException(ErrorCode.GONE, "the sandbox has ended", "create a new one");
      }
      done = true;
      return connection;
    } finally {
      if (!done) {
        connection.close();
      }
    }
  }

  /** How many connections are open or being opened. */
  public int openConnections() {
    return open.get();
  }

  /** Closes connections that have been silent for too long. */
  public void sweep(Duration idleTimeout) {
    long now = System.nanoTime();
    connections.forEach(connection -> connection.closeIfIdle(now, idleTimeout));
  }

  void use() {
    used.run();
  }

  void ended(PortConnection connection) {
    if (connections.remove(connection)) {
      open.decrementAndGet();
      connection.ended();
    }
  }

  @Override
  public void close() {
    closed = true;
    connections.forEach(PortConnection::close);
  }
}
