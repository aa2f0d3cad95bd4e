package dev.atoll.server.it;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A service that nobody in a sandbox may reach, and that knows whether somebody did. */
final class Trap implements AutoCloseable {
  private final ServerSocket socket = new ServerSocket();
  private final AtomicInteger visits = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();

  /**
   * @param port 0 for any
   */
  Trap(InetAddress address, int port) throws IOException {
    socket.bind(new InetSocketAddress(address, port));
    Thread.ofVirtual().start(this::accept);
  }

  private void accept() {
    while (!socket.isClosed()) {
      try {
        Socket visitor = socket.accept();
        visits.incrementAndGet();
        Thread.ofVirtual().start(() -> read(visitor));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void read(Socket visitor) {
    try (visitor) {
      bytes.addAndGet(Math.max(0, visitor.getInputStream().read(new byte[4096])));
    } catch (IOException e) {
      // It left.
    }
  }

  int port() {
    return socket.getLocalPort();
  }

  /** How many connections came. */
  int visits() {
    return visits.get();
  }

  /** How many bytes they brought before they were sent away. */
  long bytes() {
    return bytes.get();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
