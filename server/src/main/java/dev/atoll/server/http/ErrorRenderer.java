package dev.atoll.server.http;

import dev.atoll.engine.files.FileTrouble;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorBody;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.QuietException;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one place where a failure becomes an HTTP answer. */
final class ErrorRenderer {
  private static final Logger log = LoggerFactory.getLogger(ErrorRenderer.class);
  private static final String RETRY_AFTER = "retryAfterSeconds";

  private ErrorRenderer() {}

  /**
   * What an error looks like to its reader.
   *
   * @param type the type of the body
   */
  record Form(String type, String text) {}

  /** Chooses the form of an error. */
  interface Forms {
    Form of(Exchange exchange, ErrorBody error);
  }

  /** The form that programs read. */
  static Form json(ErrorBody error) {
    return new Form("application/json", Json.lenient().writeValueAsString(error));
  }

  /** Answers a request with a failure, or cuts the connection when part of an answer is out. */
  static void render(Exchange exchange, Throwable failure) {
    render(exchange, failure, (_, error) -> json(error));
  }

  static void render(Exchange exchange, Throwable failure, Forms forms) {
    if (exchange.answered() || exchange.response().isCommitted() || callerIsGone(failure)) {
      log.debug("request {} was cut short", exchange.requestId(), failure);
      // Jetty is silent about callers who left, but only when it sees that they did.
      Throwable cause = failure instanceof UncheckedIOException ? failure.getCause() : null;
      exchange.abort(cause == null ? failure : cause);
      return;
    }
    AtollException error = translate(failure);
    if (error.code().httpStatus() >= 500 && !(failure instanceof AtollException)) {
      log.error("request {} failed", exchange.requestId(), failure);
    } else {
      log.debug("request {} is answered with {}", exchange.requestId(), error.code().wire());
    }
    Form form = forms.of(exchange, body(error, exchange.requestId()));
    send(exchange, error, status(failure, error), form);
  }

  /** The body of an error answer. */
  static ErrorBody body(Throwable failure, String requestId) {
    AtollException error = translate(failure);
    return new ErrorBody(
        error.code(), String.valueOf(error.getMessage()), error.hint(), requestId, error.details());
  }

  private static void send(Exchange exchange, AtollException error, int status, Form form) {
    Response response = exchange.response();
    response.reset();
    response.getHeaders().put(RequestIds.HEADER, exchange.requestId());
    addHeaders(response, error);
    byte[] body = form.text().getBytes(StandardCharsets.UTF_8);
    try {
      if (UnreadBody.exists(exchange.request())) {
        UnreadBody.announceClose(response);
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, form.type());
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
        Content.Sink.write(response, false, ByteBuffer.wrap(body));
        UnreadBody.drop(exchange.request());
        exchange.finish(ByteBuffer.allocate(0));
      } else {
        exchange.send(status, form.type(), body);
      }
    } catch (IOException e) {
      exchange.abort(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      exchange.abort(e);
    }
  }

  private static void addHeaders(Response response, AtollException error) {
    response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
    switch (error.code()) {
      case UNAUTHENTICATED ->
          response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer realm=\"atoll\"");
      case METHOD_NOT_ALLOWED ->
          response.getHeaders().put(HttpHeader.ALLOW, text(error, "allow", ""));
      case RANGE_NOT_SATISFIABLE ->
          response
              .getHeaders()
              .put(HttpHeader.CONTENT_RANGE, "bytes */" + text(error, "size", "0"));
      case QUOTA_EXCEEDED, OVERLOADED, INSUFFICIENT_MEMORY, SHUTTING_DOWN, STORAGE_BUSY ->
          response.getHeaders().put(HttpHeader.RETRY_AFTER, text(error, RETRY_AFTER, "1"));
      default -> {}
    }
  }

  private static String text(AtollException error, String detail, String byDefault) {
    return String.valueOf(error.details().getOrDefault(detail, byDefault));
  }

  private static AtollException translate(Throwable failure) {
    return switch (failure) {
      case AtollException own -> own;
      // Streams have no other way to tell it.
      case IOException io when io.getCause() instanceof AtollException own -> own;
      case HttpException http when http.getCode() != 500 -> badMessage(http, failure);
      case UncheckedIOException io when timedOut(io.getCause()) -> tooSlow();
      case IOException io when timedOut(io) -> tooSlow();
      case UncheckedIOException io when isFull(io.getCause()) -> full(io);
      case IOException io when isFull(io) -> full(io);
      case InterruptedException _ -> Shutdown.stopping();
      default ->
          new AtollException(
              ErrorCode.INTERNAL,
              "something broke inside the server",
              "Look for the request id in the server's log.",
              Map.of(),
              failure);
    };
  }

  private static boolean isFull(@Nullable IOException failure) {
    return failure != null && FileTrouble.isFull(failure);
  }

  private static AtollException full(Throwable cause) {
    return new AtollException(
        ErrorCode.STORAGE_FULL,
        "the disk of the server is full; nothing of it was kept",
        "end sandboxes, or delete snapshots or templates",
        Map.of(),
        cause);
  }

  private static boolean timedOut(@Nullable IOException failure) {
    return failure != null && failure.getCause() instanceof TimeoutException;
  }

  private static AtollException tooSlow() {
    return new AtollException(ErrorCode.BAD_REQUEST, "the body stopped coming before its end");
  }

  private static AtollException badMessage(HttpException http, Throwable failure) {
    ErrorCode code =
        switch (http.getCode()) {
          case 413 -> ErrorCode.TOO_LARGE;
          case 414 -> ErrorCode.URI_TOO_LONG;
          case 415 -> ErrorCode.UNSUPPORTED_MEDIA_TYPE;
          default -> ErrorCode.BAD_REQUEST;
        };
    String reason = http.getReason();
    return new AtollException(
        code, reason == null ? "the request is malformed" : reason, null, Map.of(), failure);
  }

  /** HTTP has codes for malformed messages that the API's own list does not distinguish. */
  private static int status(Throwable failure, AtollException error) {
    return failure instanceof HttpException http && http.getCode() != 500
        ? http.getCode()
        : error.code().httpStatus();
  }

  private static boolean callerIsGone(@Nullable Throwable failure) {
    return switch (failure) {
      case null -> false;
      case EofException _, ClosedChannelException _ -> true;
      case UncheckedIOException unchecked -> callerIsGone(unchecked.getCause());
      case HttpException _ -> false;
      case QuietException _ -> true;
      default -> false;
    };
  }
}
