package dev.atoll.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A program that listens on a port and does with each connection what a test says. */
final class FakeProgram implements AutoCloseable {
  /** A whole answer. */
  static final String HELLO = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

  /** What it does with a connection, which is closed afterwards. */
  interface Service {
    void serve(Caller caller) throws Exception;
  }

  private final ServerSocket socket;
  private final BlockingQueue<String> heads = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> ends = new LinkedBlockingQueue<>();

  FakeProgram(Service service) throws IOException {
    socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(() -> accept(service));
  }

  /** Answers every request with the same bytes and closes. */
  static FakeProgram answering(String answer) throws IOException {
    return new FakeProgram(
        caller -> {
          caller.head();
          caller.say(answer);
        });
  }

  int port() {
    return socket.getLocalPort();
  }

  /** The head of the next request that it got. */
  String head() throws InterruptedException {
    String head = heads.poll(10, TimeUnit.SECONDS);
    if (head == null) {
      throw new AssertionError("no request came");
    }
    return head;
  }

  /** How the next connection ended: {@code end} or the exception. */
  String end() throws InterruptedException {
    String end = ends.poll(20, TimeUnit.SECONDS);
    if (end == null) {
      throw new AssertionError("no connection ended");
    }
    return end;
  }

  private void accept(Service service) {
    try {
      while (true) {
        Socket caller = socket.accept();
        Thread.ofVirtual().start(() -> serve(service, caller));
      }
    } catch (IOException e) {
      // Closed by the test.
    }
  }

  private void serve(Service service, Socket socketOfCaller) {
    try (socketOfCaller) {
      service.serve(new Caller(socketOfCaller));
      ends.add("end");
    } catch (Exception e) {
      ends.add(e.toString());
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

  /** One connection. */
  final class Caller {
    private final Socket socket;

    private Caller(Socket socket) {
      this.socket = socket;
    }

    InputStream in() throws IOException {
      return socket.getInputStream();
    }

    /** Reads a head with the empty line at its end. */
    String head() throws IOException {
      String head = readHead(in());
      heads.add(head);
      return head;
    }

    void say(String text) throws IOException {
      say(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    void say(byte[] bytes) throws IOException {
      socket.getOutputStream().write(bytes);
      socket.getOutputStream().flush();
    }

    int port() {
      return socket.getLocalPort();
    }

    void endOutput() throws IOException {
      socket.shutdownOutput();
    }

    void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }
  }

  /** Everything up to an empty line. */
  static String readHead(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
      int next = in.read();
      if (next < 0) {
        break;
      }
      head.write(next);
    }
    return head.toString(StandardCharsets.ISO_8859_1);
  }
}
