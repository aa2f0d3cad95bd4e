package dev.atoll.engine.inject;

import dev.atoll.engine.secret.BoundSecret;
import dev.atoll.model.AtollException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpField;
import org.jspecify.annotations.Nullable;

/**
 * Forwards the requests of one connection, one after another: the next one is read when the
 * response to the one before has been handed on. Secrets are looked up for each of them.
 */
final class Requests {
  private static final int COPY_BYTES = 16 << 10;

  private final Destination destination;
  private final Supplier<List<BoundSecret>> secrets;
  private final SandboxSecrets.Listener listener;
  private final Exchanges exchanges;

  Requests(
      Destination destination,
      Supplier<List<BoundSecret>> secrets,
      SandboxSecrets.Listener listener,
      Exchanges exchanges) {
    this.destination = destination;
    this.secrets = secrets;
    this.listener = listener;
    this.exchanges = exchanges;
  }

  /**
   * Returns when there are no more.
   *
   * @param answers for what is not forwarded; used only while no response is being written
   */
  void forward(MessageReader from, MessageWriter to, MessageWriter answers) throws IOException {
    Exchange.Outcome outcome = Exchange.Outcome.KEPT;
    while (outcome == Exchange.Outcome.KEPT) {
      Head request = read(from, answers);
      if (request == null) {
        return;
      }
      List<BoundSecret> bound = bound(request, answers);
      if (bound.isEmpty()) {
        return;
      }
      outcome = forward(request, bound, from, to);
    }
    if (outcome == Exchange.Outcome.UPGRADED) {
      byte[] buffer = new byte[COPY_BYTES];
      for (int n = from.raw(buffer); n >= 0; n = from.raw(buffer)) {
        to.raw(buffer, 0, n);
      }
    }
  }

  private static @Nullable Head read(MessageReader from, MessageWriter answers) throws IOException {
    try {
      return from.next(false);
    } catch (ProtocolException e) {
      Answer.BAD_REQUEST.write(answers, String.valueOf(e.getMessage()));
      return null;
    }
  }

  /** The secrets of a request; none when it was answered already. */
  private List<BoundSecret> bound(Head request, MessageWriter answers) throws IOException {
    String refusal = destination.refuses(request);
    if (refusal != null) {
      Answer.MISDIRECTED.write(answers, refusal);
      return List.of();
    }
    try {
      List<BoundSecret> bound = secrets.get();
      if (bound.isEmpty()) {
        Answer.FORBIDDEN.write(
            answers,
            "no secret goes to %s %s TLS (any more); use the scheme of its domain, or connect again"
                .formatted(destination, destination.tls() ? "over" : "without"));
      }
      return bound;
    } catch (AtollException e) {
      Answer.BAD_GATEWAY.write(answers, String.valueOf(e.getMessage()));
      return List.of();
    }
  }

  private Exchange.Outcome forward(
      Head request, List<BoundSecret> bound, MessageReader from, MessageWriter to)
      throws IOException {
    Injection injection = Injection.into(request.target(), request.endToEnd(), bound);
    listener.used(injection.used());
    if (!injection.left().isEmpty()) {
      listener.trouble(
          "the placeholder of "
              + String.join(", ", injection.left())
              + " stands where it is not replaced; see replaceIn of secrets");
    }
    Exchange exchange = new Exchange(request, Masking.of(bound));
    exchanges.add(exchange);
    boolean whole = begin(request, injection, to) && send(exchange, from, to);
    // A host may have answered before it had everything, and closed; then that is the answer.
    Exchange.Outcome outcome = exchange.await();
    return whole ? outcome : Exchange.Outcome.CLOSED;
  }

  /** False when the host takes nothing. */
  private static boolean begin(Head request, Injection injection, MessageWriter to) {
    return accepted(
        () ->
            to.head(
                request.line() + " " + injection.target() + " HTTP/1.1",
                withConnection(request, injection.fields()),
                request.framing()));
  }

  /** False when the host takes no more; what the program breaks off is an exception. */
  private static boolean send(Exchange exchange, MessageReader from, MessageWriter to)
      throws IOException {
    ByteBuffer piece = from.body();
    while (piece != null) {
      exchange.began();
      byte[] bytes = new byte[piece.remaining()];
      piece.get(bytes);
      if (!accepted(() -> to.body(bytes, 0, bytes.length))) {
        return false;
      }
      piece = from.body();
    }
    return accepted(to::end);
  }

  private interface Writing {
    void write() throws IOException;
  }

  private static boolean accepted(Writing writing) {
    try {
      writing.write();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static List<HttpField> withConnection(Head request, List<HttpField> fields) {
    List<HttpField> all = new ArrayList<>(fields);
    if (request.wantsWebSocket()) {
      all.add(new HttpField("Connection", "Upgrade"));
      all.add(new HttpField("Upgrade", "websocket"));
    } else {
      all.add(new HttpField("Connection", request.closes() ? "close" : "keep-alive"));
    }
    return all;
  }
}
