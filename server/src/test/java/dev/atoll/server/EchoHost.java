package dev.atoll.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A host on loopback that says what it hears. */
final class EchoHost implements AutoCloseable {
  private final ServerSocket socket;

  EchoHost() throws IOException {
    socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::serve);
  }

  int port() {
    return socket.getLocalPort();
  }

  private void serve() {
    while (!socket.isClosed()) {
      try (Socket caller = socket.accept()) {
        caller.getInputStream().transferTo(caller.getOutputStream());
      } catch (IOException e) {
        // The caller has gone, or the test is over.
      }
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
