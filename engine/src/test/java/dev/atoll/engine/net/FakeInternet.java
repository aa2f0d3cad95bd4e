package dev.atoll.engine.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server on loopback that stands for one on the internet. */
final class FakeInternet implements AutoCloseable {
  private final ServerSocket server;
  private final List<Socket> accepted = new CopyOnWriteArrayList<>();

  interface Behaviour {
    void serve(Socket socket) throws IOException, InterruptedException;
  }

  FakeInternet(Behaviour behaviour) throws IOException {
    this(InetAddress.getLoopbackAddress(), behaviour);
  }

  private FakeInternet(InetAddress address, Behaviour behaviour) throws IOException {
    server = new ServerSocket(0, 2000, address);
    Thread.ofVirtual().start(() -> acceptAll(behaviour));
  }

  /** Sends back what comes, and ends when the other side ends. */
  static FakeInternet echo() throws IOException {
    return echo(InetAddress.getLoopbackAddress());
  }

  static FakeInternet echo(InetAddress address) throws IOException {
    return new FakeInternet(
        address,
        socket -> {
          socket.getInputStream().transferTo(socket.getOutputStream());
          socket.shutdownOutput();
        });
  }

  private void acceptAll(Behaviour behaviour) {
    try {
      while (true) {
        Socket socket = server.accept();
        accepted.add(socket);
        Thread.ofVirtual().start(() -> serve(behaviour, socket));
      }
    } catch (IOException e) {
      // The server was closed.
    }
  }

  private static void serve(Behaviour behaviour, Socket socket) {
    try (socket) {
      behaviour.serve(socket);
    } catch (IOException | InterruptedException e) {
      // The test looks at what the client has seen.
    }
  }

  int port() {
    return server.getLocalPort();
  }

  int connections() {
    return accepted.size();
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : accepted) {
      socket.close();
    }
  }
}
