package dev.atoll.engine.inject;

import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpField;

/** Hands on the responses of one connection, with values masked, as they come. */
final class Responses {
  private static final int COPY_BYTES = 16 << 10;

  private final Exchanges exchanges;
  private final Consumer<IOException> broke;

  /**
   * @param broke is told of a response that breaks off, before whoever sent the request is
   */
  Responses(Exchanges exchanges, Consumer<IOException> broke) {
    this.exchanges = exchanges;
    this.broke = broke;
  }

  /** Returns when the connection ends, from either side, after a whole response. */
  void handOn(MessageReader from, MessageWriter to) throws IOException {
    while (from.await()) {
      Exchange exchange = exchanges.poll();
      if (exchange == null) {
        throw new ProtocolException("the host answered what nobody had asked");
      }
      Exchange.Outcome outcome = Exchange.Outcome.CLOSED;
      try {
        outcome = handOn(exchange, from, to);
      } catch (IOException e) {
        broke.accept(e);
        throw e;
      } finally {
        exchange.ended(outcome);
      }
      if (outcome == Exchange.Outcome.UPGRADED) {
        tunnel(exchange.masking().passage(), from, to);
      }
      if (outcome != Exchange.Outcome.KEPT) {
        return;
      }
    }
  }

  private static Exchange.Outcome handOn(Exchange exchange, MessageReader from, MessageWriter to)
      throws IOException {
    Head response = next(exchange, from);
    while (response.status() < 200 && response.status() != 101) {
      if (exchange.request().modern()) {
        head(exchange, response, masked(exchange, response), Head.Framing.NONE, to);
      }
      drain(from);
      response = next(exchange, from);
    }
    String refusal = PlainAnswers.refuses(response);
    if (refusal != null) {
      Answer.BAD_GATEWAY.write(to, refusal + "; values in it could not be masked");
      return Exchange.Outcome.CLOSED;
    }
    if (response.status() == 101) {
      return upgrade(exchange, response, from, to);
    }
    boolean untilEnd =
        response.framing() == Head.Framing.UNTIL_END
            || (response.framing() == Head.Framing.CHUNKED && !exchange.request().modern());
    boolean closes =
        untilEnd || exchange.isWaiting() || exchange.request().closes() || response.closes();
    List<HttpField> fields = masked(exchange, response);
    fields.add(new HttpField("Connection", closes ? "close" : "keep-alive"));
    head(exchange, response, fields, untilEnd ? Head.Framing.UNTIL_END : response.framing(), to);
    Masking.Passage passage = exchange.masking().passage();
    for (ByteBuffer piece = from.body(); piece != null; piece = from.body()) {
      byte[] bytes = new byte[piece.remaining()];
      piece.get(bytes);
      passage.pass(bytes, 0, bytes.length, to::body);
    }
    passage.end(to::body);
    to.end();
    return closes ? Exchange.Outcome.CLOSED : Exchange.Outcome.KEPT;
  }

  private static Head next(Exchange exchange, MessageReader from) throws IOException {
    Head response = from.next(exchange.isHead());
    if (response == null) {
      throw new ProtocolException("the host has closed the connection without a response");
    }
    return response;
  }

  private static void drain(MessageReader from) throws IOException {
    while (from.body() != null) {
      // What says only that more will come has no body.
    }
  }

  private static Exchange.Outcome upgrade(
      Exchange exchange, Head response, MessageReader from, MessageWriter to) throws IOException {
    if (!exchange.request().wantsWebSocket() || !response.lists("Upgrade", "websocket")) {
      throw new ProtocolException("the host changes the protocol, which nobody had asked for");
    }
    List<HttpField> fields = masked(exchange, response);
    fields.add(new HttpField("Connection", "Upgrade"));
    fields.add(new HttpField("Upgrade", "websocket"));
    head(exchange, response, fields, Head.Framing.NONE, to);
    drain(from);
    return Exchange.Outcome.UPGRADED;
  }

  private static List<HttpField> masked(Exchange exchange, Head response) {
    List<HttpField> fields = new ArrayList<>();
    for (HttpField field : response.endToEnd()) {
      String value = field.getValue();
      String name = exchange.masking().mask(field.getName());
      fields.add(new HttpField(name, value == null ? null : exchange.masking().mask(value)));
    }
    return fields;
  }

  private static void head(
      Exchange exchange,
      Head response,
      List<HttpField> fields,
      Head.Framing framing,
      MessageWriter to)
      throws IOException {
    to.head(
        "HTTP/1.1 " + response.status() + " " + exchange.masking().mask(response.line()),
        fields,
        framing);
  }

  /** A server's frames of WebSocket are not scrambled, so values in them are masked as well. */
  private static void tunnel(Masking.Passage passage, MessageReader from, MessageWriter to)
      throws IOException {
    byte[] buffer = new byte[COPY_BYTES];
    for (int n = from.raw(buffer); n >= 0; n = from.raw(buffer)) {
      passage.pass(buffer, 0, n, to::raw);
    }
    passage.end(to::raw);
  }
}
