package dev.atoll.engine.net;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Tries addresses one after another, IPv6 and IPv4 in turn, without waiting long for one before it
 * tries the next beside it (after RFC 8305).
 */
final class StaggeredDialer implements Dialer {
  private static final long STAGGER_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
  private static final int MAX_ADDRESSES = 8;

  @Override
  public Dialled dial(List<InetAddress> addresses, int port, Duration deadline)
      throws IOException, InterruptedException {
    return new Race(inTurn(addresses), port, deadline).run();
  }

  static List<InetAddress> inTurn(List<InetAddress> addresses) {
    List<InetAddress> six = addresses.stream().filter(Inet6Address.class::isInstance).toList();
    List<InetAddress> four = addresses.stream().filter(a -> !(a instanceof Inet6Address)).toList();
    List<InetAddress> mixed = new ArrayList<>();
    for (int i = 0; i < Math.max(six.size(), four.size()); i++) {
      if (i < six.size()) {
        mixed.add(six.get(i));
      }
      if (i < four.size()) {
        mixed.add(four.get(i));
      }
    }
    return mixed.subList(0, Math.min(MAX_ADDRESSES, mixed.size()));
  }

  /** One attempt's end. */
  private record Outcome(@Nullable Dialled dialled, @Nullable IOException failure) {}

  private static final class Race {
    private final List<InetAddress> addresses;
    private final int port;
    private final long end;
    private final BlockingQueue<Outcome> outcomes = new LinkedBlockingQueue<>();
    private final AtomicBoolean decided = new AtomicBoolean();
    private int started;

    Race(List<InetAddress> addresses, int port, Duration deadline) {
      this.addresses = addresses;
      this.port = port;
      this.end = System.nanoTime() + deadline.toNanos();
    }

    Dialled run() throws IOException, InterruptedException {
      IOException failure = new SocketTimeoutException("no answer in time");
      try {
        int ended = 0;
        start();
        while (ended < addresses.size()) {
          Outcome outcome = outcomes.poll(patience(), TimeUnit.NANOSECONDS);
          if (outcome != null && outcome.dialled() != null) {
            return outcome.dialled();
          }
          if (outcome != null && outcome.failure() != null) {
            ended++;
            failure = outcome.failure();
          } else if (System.nanoTime() - end >= 0) {
            throw new SocketTimeoutException("no answer in time");
          }
          start();
        }
        throw failure;
      } finally {
        decided.set(true);
        discard();
      }
    }

    private long patience() {
      long left = Math.max(0, end - System.nanoTime());
      return started < addresses.size() ? Math.min(left, STAGGER_NANOS) : left;
    }

    private void start() {
      if (started < addresses.size()) {
        InetAddress address = addresses.get(started++);
        Thread.ofVirtual().name("dial").start(() -> attempt(address));
      }
    }

    private void attempt(InetAddress address) {
      Socket socket = new Socket();
      try {
        long millis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        socket.connect(new InetSocketAddress(address, port), (int) Math.max(1, millis));
        outcomes.add(new Outcome(new Dialled(socket, address), null));
        if (decided.get()) {
          discard();
        }
      } catch (IOException e) {
        close(socket);
        outcomes.add(new Outcome(null, e));
      }
    }

    /** Closes those that were late; the winner is no longer in the queue. */
    private void discard() {
      for (Outcome late = outcomes.poll(); late != null; late = outcomes.poll()) {
        if (late.dialled() != null) {
          close(late.dialled().socket());
        }
      }
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is given up either way.
    }
  }
}
