package dev.atoll.server.http;

import dev.atoll.model.Json;
import dev.atoll.model.MimeBundle;
import dev.atoll.model.RunEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;

/**
 * An answer of JSON objects, one a line. Lines are gathered with {@link #add} and leave together
 * with {@link #flush}, which waits until the connection has taken them.
 */
final class NdjsonWriter {
  /** Beyond so many gathered bytes it is time to flush. */
  static final int FULL = 64 << 10;

  private static final MimeBundle LEFT_OUT =
      MimeBundle.ofText("[atoll: left out: the project makes the server hold all that it may]");

  private final Exchange exchange;
  private Lines lines = new Lines();
  private long paid;

  NdjsonWriter(Exchange exchange) {
    this.exchange = exchange;
    Response response = exchange.response();
    response.setStatus(200);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, Exchange.NDJSON);
    response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
    // Tells nginx and its like not to hold lines back.
    response.getHeaders().put("X-Accel-Buffering", "no");
  }

  /** Adds an event; a result that the project has no memory for is left out, and that is told. */
  void add(Object event) {
    Object affordable =
        switch (event) {
          case RunEvent.Result result when !pay(result.data()) -> new RunEvent.Result(LEFT_OUT);
          case RunEvent.Display shown when !pay(shown.data()) -> shown.with(LEFT_OUT);
          default -> event;
        };
    Json.lenient().writeValue(lines, affordable);
    lines.write('\n');
  }

  /** What is small is paid with the request. */
  private boolean pay(MimeBundle bundle) {
    long weight = 3 * bundle.length();
    if (weight < FULL) {
      return true;
    }
    boolean enough = exchange.memory().take(weight);
    paid += enough ? weight : 0;
    return enough;
  }

  /** Adds an object that is JSON already. */
  void addLine(String json) {
    lines.writeBytes(json.getBytes(StandardCharsets.UTF_8));
    lines.write('\n');
  }

  boolean full() {
    return lines.size() >= FULL;
  }

  void flush() throws IOException {
    if (lines.size() == 0) {
      return;
    }
    Content.Sink.write(exchange.response(), false, lines.view());
    recycle();
    exchange.memory().give(paid);
    paid = 0;
  }

  /** Flushes what is gathered together with the end of the answer. */
  void end() {
    exchange.finish(lines.view());
    lines = new Lines();
  }

  private void recycle() {
    if (lines.capacity() > 4 * FULL) {
      lines = new Lines();
    } else {
      lines.reset();
    }
  }

  /** Bytes that can be looked at without a copy. */
  private static final class Lines extends ByteArrayOutputStream {
    Lines() {
      super(1024);
    }

    ByteBuffer view() {
      return ByteBuffer.wrap(buf, 0, count);
    }

    int capacity() {
      return buf.length;
    }
  }
}
