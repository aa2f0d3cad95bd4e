package dev.atoll.server.http;

import dev.atoll.engine.net.PortConnection;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;

/**
 * One request to a program behind a port, and its answer, each passed on as it comes: nothing is
 * kept but the buffer at hand, and whoever is slower sets the pace. Each request has a connection
 * of its own, which ends with it.
 */
final class PortCall {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final Duration LAST_WORDS = Duration.ofMillis(500);

  private final Exchange exchange;
  private final PortAddress address;
  private final PortHead head;
  private final PortAnswer answer;
  private final PortConnection connection;
  private @Nullable PortUpload upload;
  private boolean begun;
  private boolean handedOver;

  PortCall(Exchange exchange, PortAddress address, PortConnection connection) {
    this.exchange = exchange;
    this.address = address;
    this.connection = connection;
    this.head = new PortHead(exchange.request(), address);
    this.answer = new PortAnswer(exchange.isHead());
  }

  /** Does all of it, and closes the connection unless it goes on as something else. */
  void run() throws IOException, InterruptedException {
    try {
      ask();
      pass();
    } finally {
      if (!handedOver) {
        connection.close();
      }
    }
  }

  private void ask() {
    PortSender sender = new PortSender(head.toProgram(), connection);
    boolean withBody = head.hasBody() && !head.upgrades();
    try {
      sender.send(NOTHING, !withBody);
    } catch (IOException e) {
      throw failed(String.valueOf(e.getMessage()), e);
    }
    if (withBody) {
      upload =
          new PortUpload(exchange.request(), sender, head.expectsContinue(), connection::close);
    }
  }

  private void pass() throws IOException, InterruptedException {
    while (true) {
      ByteBuffer bytes = read();
      PortAnswer.Step step = bytes == null ? answer.end() : answer.parse(bytes);
      while (step != PortAnswer.Step.MORE) {
        switch (step) {
          case INTERIM -> interim();
          case HEAD -> {
            if (answer.status() == 101 && head.upgrades()) {
              goOn(bytes == null ? NOTHING : bytes);
              return;
            }
            begin();
          }
          case CONTENT -> Content.Sink.write(exchange.response(), false, answer.content());
          case END -> {
            finish();
            return;
          }
          case BROKEN -> throw failed(answer.problem(), null);
          case MORE -> {}
        }
        step = bytes == null ? answer.parse(NOTHING) : answer.parse(bytes);
      }
      if (bytes == null) {
        throw failed("the program closed the connection before the end of its answer", null);
      }
      if (begun && !exchange.response().isCommitted()) {
        // Somebody may be waiting for the head of an answer whose body comes later, or in parts.
        Content.Sink.write(exchange.response(), false, NOTHING);
      }
    }
  }

  private @Nullable ByteBuffer read() throws IOException {
    try {
      return connection.read();
    } catch (IOException e) {
      IOException caller = upload == null ? null : upload.callerFailure();
      if (caller != null) {
        throw caller;
      }
      throw failed(String.valueOf(e.getMessage()), e);
    }
  }

  private void interim() {
    if (answer.status() == 100 && upload != null) {
      // Jetty tells the caller, when the body is first read.
      upload.proceed();
    }
  }

  private void begin() {
    Response response = exchange.response();
    if (upload != null) {
      upload.answered();
    }
    if (answer.status() == 101) {
      throw failed("the program switched to another protocol without being asked", null);
    }
    begun = true;
    response.setStatus(answer.status());
    new PortRewriting(address).apply(answer.fields(), response.getHeaders());
    if (upload != null && !upload.complete()) {
      UnreadBody.announceClose(response);
    }
  }

  private void finish() throws InterruptedException {
    connection.close();
    PortUpload sending = upload;
    if (sending != null && !sending.complete()) {
      sending.join(LAST_WORDS);
      UnreadBody.drop(exchange.request());
    }
    exchange.finish(NOTHING);
  }

  /** From here on the bytes of both sides are passed on unread. */
  private void goOn(ByteBuffer first) {
    Request request = exchange.request();
    Response response = exchange.response();
    EndPoint endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
    HttpFields fields = answer.fields();
    new PortRewriting(address).apply(fields, response.getHeaders());
    response.getHeaders().put(HttpHeader.CONNECTION, "Upgrade");
    fields.getFields(HttpHeader.UPGRADE).forEach(response.getHeaders()::add);
    response.setStatus(101);
    request.setAttribute(
        HttpStream.UPGRADE_CONNECTION_ATTRIBUTE,
        new PortTunnel(endPoint, request.getComponents().getExecutor(), connection, first));
    handedOver = true;
    exchange.handOver();
    exchange.callback().succeeded();
  }

  private AtollException failed(String message, @Nullable Throwable cause) {
    return new AtollException(
        ErrorCode.PORT_FAILED,
        "port %d: %s".formatted(address.port(), message),
        "Look at the program's output; `atoll forward` reaches it whatever it speaks.",
        Map.of("port", address.port()),
        cause);
  }
}
