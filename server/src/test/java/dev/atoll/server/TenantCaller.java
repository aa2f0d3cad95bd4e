package dev.atoll.server;

import dev.atoll.server.EngineFixture.Answer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Makes calls of the matrix. */
final class TenantCaller {
  private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: (\\d+)");

  private static final Pattern REQUEST = Pattern.compile("\"requestId\":\"[^\"]*\"");

  private final EngineFixture server;

  TenantCaller(EngineFixture server) {
    this.server = server;
  }

  /** What came back. */
  record Reply(int status, String body) {

    /** All of it, but for the id of the request and the names of these things. */
    String without(Map<String, String> things) {
      String text = status + " " + REQUEST.matcher(body).replaceAll("");
      List<Map.Entry<String, String>> longestFirst =
          things.entrySet().stream()
              .sorted(Comparator.comparingInt(entry -> -entry.getValue().length()))
              .toList();
      for (Map.Entry<String, String> thing : longestFirst) {
        text = text.replace(thing.getValue(), "<" + thing.getKey() + ">");
      }
      return text;
    }
  }

  /** Makes a call with a key, or without, and with things of somebody. */
  Reply make(
      TenantCall call, @Nullable String key, Map<String, String> things, Map<String, String> own)
      throws Exception {
    String target = call.target(things, own);
    if (call.upgrade()) {
      return upgrade(target, call.keyless() ? null : key);
    }
    String body = TenantCall.fill(call.body(), things, own).replaceAll("\"([0-9]+)\"(?=})", "$1");
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.url(target))
            .method(
                call.method(),
                body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    call.headers()
        .forEach((name, value) -> request.header(name, TenantCall.fill(value, things, own)));
    if (key != null) {
      request.header("X-API-Key", key);
    }
    Answer answer = server.send(request);
    return new Reply(answer.status(), answer.body());
  }

  private Reply upgrade(String target, @Nullable String key) throws IOException {
    String credentials = key == null ? "" : "X-API-Key: " + key + "\r\n";
    return raw(
        "GET "
            + target
            + " HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            + credentials
            + "\r\n");
  }

  /** Sends a request as it is written, which has no body. */
  Reply raw(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.url("").getPort())) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      InputStream in = socket.getInputStream();
      String head = FakeProgram.readHead(in);
      Matcher length = LENGTH.matcher(head);
      byte[] body = length.find() ? in.readNBytes(Integer.parseInt(length.group(1))) : new byte[0];
      return new Reply(
          Integer.parseInt(head.substring(9, 12)), new String(body, StandardCharsets.UTF_8));
    }
  }
}
