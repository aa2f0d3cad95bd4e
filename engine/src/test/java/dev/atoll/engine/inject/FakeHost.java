package dev.atoll.engine.inject;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** A host on loopback that answers as a test says, and keeps the heads of all requests. */
final class FakeHost implements AutoCloseable {
  final List<String> heads = new CopyOnWriteArrayList<>();
  private final ServerSocket server;
  private final String scheme;

  /** Answers a request; what follows its head is on the input. */
  interface Behaviour {
    void answer(String head, InputStream in, OutputStream out) throws IOException;
  }

  FakeHost(@Nullable SSLContext context, Behaviour behaviour) throws IOException {
    scheme = context == null ? "http" : "https";
    InetAddress loopback = InetAddress.getLoopbackAddress();
    server =
        context == null
            ? new ServerSocket(0, 50, loopback)
            : context.getServerSocketFactory().createServerSocket(0, 50, loopback);
    Thread.ofVirtual().start(() -> acceptAll(behaviour));
  }

  String scheme() {
    return scheme;
  }

  int port() {
    return server.getLocalPort();
  }

  private void acceptAll(Behaviour behaviour) {
    try {
      while (true) {
        Socket socket = server.accept();
        Thread.ofVirtual().start(() -> serve(socket, behaviour));
      }
    } catch (IOException e) {
      // The test is over.
    }
  }

  private void serve(Socket socket, Behaviour behaviour) {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      for (String head = head(in); head != null; head = head(in)) {
        heads.add(head);
        behaviour.answer(head, in, socket.getOutputStream());
        socket.getOutputStream().flush();
      }
    } catch (IOException e) {
      // The test looks at what the client has seen.
    }
  }

  /** Up to the empty line; null at the end. */
  static @Nullable String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        return null;
      }
      head.append((char) next);
    }
    return head.toString();
  }

  static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
