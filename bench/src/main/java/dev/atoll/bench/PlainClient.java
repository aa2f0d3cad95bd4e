package dev.atoll.bench;

import dev.atoll.model.Json;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/**
 * One connection and nothing else: what the server takes, without what a client library adds. Only
 * for answers that tell their length.
 */
final class PlainClient implements AutoCloseable {
  private final String key;
  private final Socket socket;
  private final InputStream in;

  /** Connects to the server whose data are in this directory. */
  PlainClient(Path home) throws IOException {
    JsonNode server = Json.lenient().readTree(Files.readString(home.resolve("run/server.json")));
    URI url = URI.create(server.path("url").asString());
    this.key = Files.readString(Path.of(server.path("adminKeyFile").asString())).strip();
    this.socket = new Socket(url.getHost(), url.getPort());
    this.in = new BufferedInputStream(socket.getInputStream());
    socket.setTcpNoDelay(true);
  }

  JsonNode post(String path, String json) {
    return Json.lenient().readTree(send("POST", path, json));
  }

  void delete(String path) {
    send("DELETE", path, "");
  }

  /** A gauge or a counter without labels, or the sum over all labels that begin as given. */
  double metric(String name) {
    double[] values =
        send("GET", "/metrics", "")
            .lines()
            .filter(line -> line.startsWith(name + (name.contains("{") ? "," : " ")))
            .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
            .toArray();
    if (values.length == 0) {
      throw new IllegalStateException("the server has no metric " + name);
    }
    return Arrays.stream(values).sum();
  }

  private String send(String method, String path, String body) {
    byte[] content = body.getBytes(StandardCharsets.UTF_8);
    String request =
        "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(method, path, key, content.length, body);
    try {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      String status = line();
      int length = 0;
      for (String header = line(); !header.isEmpty(); header = line()) {
        if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
          length = Integer.parseInt(header.substring(15).strip());
        }
      }
      String answer = new String(in.readNBytes(length), StandardCharsets.UTF_8);
      if (!status.startsWith("HTTP/1.1 2")) {
        throw new IllegalStateException(method + " " + path + ": " + status + " " + answer);
      }
      return answer;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new IOException("the server has closed the connection");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
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
