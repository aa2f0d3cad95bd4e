package dev.atoll.server.http;

import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.server.mcp.MessageSink;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.http.HttpHeader;

/** An answer of server-sent events; each leaves at once. */
final class EventStream implements MessageSink {
  private static final long LARGE = 64 << 10;

  private final Exchange exchange;
  private final OutputStream output;

  EventStream(Exchange exchange) {
    this.exchange = exchange;
    exchange.response().setStatus(200);
    exchange.response().getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream");
    exchange.response().getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
    output = exchange.output();
  }

  @Override
  public void send(String message) throws IOException {
    long weight = 3L * message.length();
    boolean large = weight > LARGE;
    if (large && !exchange.memory().take(weight)) {
      throw new IOException(BudgetAccount.full("an answer"));
    }
    try {
      write("event: message\ndata: " + message + "\n\n");
    } finally {
      exchange.memory().give(large ? weight : 0);
    }
  }

  /** A comment, so that both sides see that the other is there. */
  void ping() throws IOException {
    write(": ping\n\n");
  }

  private synchronized void write(String text) throws IOException {
    output.write(text.getBytes(StandardCharsets.UTF_8));
    output.flush();
  }

  void end() {
    exchange.finish(ByteBuffer.allocate(0));
  }
}
