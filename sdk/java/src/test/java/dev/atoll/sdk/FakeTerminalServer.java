package dev.atoll.sdk;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A server with one terminal: it greets, echoes what is typed, and ends at the word {@code exit}.
 */
final class FakeTerminalServer implements AutoCloseable {
  private static final String PROCESS =
      "{\"id\":\"run_1\",\"pid\":7,\"command\":[\"sh\"],\"pty\":true,\"running\":true,\"startedAt\":\"2026-11-15T00:00:00Z\",\"outputBytes\":0}";

  private final ServerSocket server;
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<String> texts = new CopyOnWriteArrayList<>();

  FakeTerminalServer() {
    try {
      server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    daemon(this::accept);
  }

  String url() {
    return "http://127.0.0.1:" + server.getLocalPort();
  }

  /** Request lines, and the bodies of those that have one. */
  List<String> requests() {
    return requests;
  }

  /** The text frames of the client. */
  List<String> texts() {
    return texts;
  }

  @Override
  public void close() throws IOException {
    server.close();
  }

  private void accept() {
    while (true) {
      try {
        Socket socket = server.accept();
        daemon(() -> serve(socket));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      OutputStream out = socket.getOutputStream();
      String request = line(in);
      int length = 0;
      String key = "";
      for (String header = line(in); !header.isEmpty(); header = line(in)) {
        String value = header.substring(header.indexOf(':') + 1).strip();
        if (header.regionMatches(true, 0, "content-length", 0, 14)) {
          length = Integer.parseInt(value);
        } else if (header.regionMatches(true, 0, "sec-websocket-key", 0, 17)) {
          key = value;
        }
      }
      requests.add(request);
      requests.add(new String(in.readNBytes(length), StandardCharsets.UTF_8));
      if (!key.isEmpty()) {
        terminal(in, out, key);
      } else if (request.contains("/cancel")) {
        head(out, "204 No Content", "Connection: close");
      } else {
        head(out, "201 Created", "Connection: close", "Content-Length: " + PROCESS.length());
        out.write(PROCESS.getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException | GeneralSecurityException e) {
      // The client hung up.
    }
  }

  private void terminal(DataInputStream in, OutputStream out, String key)
      throws IOException, GeneralSecurityException {
    byte[] digest =
        MessageDigest.getInstance("SHA-1")
            .digest(
                (key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(StandardCharsets.US_ASCII));
    head(
        out,
        "101 Switching Protocols",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Accept: " + Base64.getEncoder().encodeToString(digest));
    frame(out, 2, "$ ".getBytes(StandardCharsets.UTF_8));
    while (true) {
      int opcode = in.readUnsignedByte() & 0x0f;
      byte[] payload = payload(in);
      if (opcode == 1) {
        texts.add(new String(payload, StandardCharsets.UTF_8));
      } else if (new String(payload, StandardCharsets.UTF_8).equals("exit")) {
        frame(
            out,
            1,
            Fixture.END
                .replace("\"exitCode\":0", "\"exitCode\":3")
                .getBytes(StandardCharsets.UTF_8));
        frame(out, 8, new byte[] {3, (byte) 0xe8});
        return;
      } else {
        frame(out, 2, payload);
      }
    }
  }

  private static byte[] payload(DataInputStream in) throws IOException {
    int length = in.readUnsignedByte() & 0x7f;
    length = length == 126 ? in.readUnsignedShort() : length;
    byte[] mask = in.readNBytes(4);
    byte[] payload = in.readNBytes(length);
    for (int i = 0; i < length; i++) {
      payload[i] ^= mask[i % 4];
    }
    return payload;
  }

  private static void frame(OutputStream out, int opcode, byte[] payload) throws IOException {
    out.write(0x80 | opcode);
    if (payload.length < 126) {
      out.write(payload.length);
    } else {
      out.write(126);
      out.write(payload.length >> 8);
      out.write(payload.length);
    }
    out.write(payload);
    out.flush();
  }

  private static void head(OutputStream out, String status, String... headers) throws IOException {
    String head = "HTTP/1.1 " + status + "\r\n" + String.join("\r\n", headers) + "\r\n\r\n";
    out.write(head.getBytes(StandardCharsets.US_ASCII));
    out.flush();
  }

  private static String line(DataInputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.readUnsignedByte(); c != '\n'; c = in.readUnsignedByte()) {
      line.append((char) c);
    }
    return line.toString().strip();
  }

  private static void daemon(Runnable action) {
    Thread thread = new Thread(action, "fake-terminal");
    thread.setDaemon(true);
    thread.start();
  }
}
