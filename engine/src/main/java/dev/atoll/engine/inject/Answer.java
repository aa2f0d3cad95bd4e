package dev.atoll.engine.inject;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.eclipse.jetty.http.HttpField;

/**
 * What the server itself answers in place of the host, as the agent's proxy does. The connection
 * ends with it.
 */
enum Answer {
  BAD_REQUEST("400 Bad Request"),
  FORBIDDEN("403 Forbidden"),
  MISDIRECTED("421 Misdirected Request"),
  BAD_GATEWAY("502 Bad Gateway");

  private final String status;

  Answer(String status) {
    this.status = status;
  }

  void write(MessageWriter to, String reason) throws IOException {
    String line = reason.replaceAll("[^ -~]", "?");
    byte[] body = (line + "\n").getBytes(StandardCharsets.US_ASCII);
    to.head(
        "HTTP/1.1 " + status,
        List.of(
            new HttpField("X-Atoll-Reason", line),
            new HttpField("Content-Type", "text/plain"),
            new HttpField("Content-Length", Integer.toString(body.length)),
            new HttpField("Connection", "close")),
        Head.Framing.LENGTH);
    to.body(body, 0, body.length);
    to.end();
  }
}
