package dev.atoll.sdk;

import dev.atoll.model.ErrorCode;
import dev.atoll.model.Json;
import dev.atoll.model.Page;
import dev.atoll.sdk.transport.HttpAnswer;
import dev.atoll.sdk.transport.Transport;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;

/** Sends the calls of the HTTP API: address, key, retries, JSON and errors. Thread-safe. */
final class Api {
  private final EndpointSearch search;
  private final Transport transport;
  private final RetryPolicy policy;
  private volatile Endpoint endpoint;

  Api(EndpointSearch search, Transport transport, RetryPolicy policy) {
    this.search = search;
    this.transport = transport;
    this.policy = policy;
    this.endpoint = search.find();
  }

  Endpoint endpoint() {
    return endpoint;
  }

  RetryPolicy policy() {
    return policy;
  }

  /** After a restart the local server may have another port and another key. */
  void findServerAgain() {
    if (search.local()) {
      try {
        endpoint = search.find();
      } catch (ConnectionException e) {
        // It is not back yet; the old address is as good as any.
      }
    }
  }

  <T> T call(ApiRequest request, Class<T> type) {
    return decode(request, bytes -> Json.lenient().readValue(bytes, type));
  }

  <T> Page<T> page(ApiRequest request, Class<T> type) {
    JavaType page = Json.lenient().getTypeFactory().constructParametricType(Page.class, type);
    return decode(request, bytes -> Json.lenient().<Page<T>>readValue(bytes, page));
  }

  /** A call whose answer has no content. */
  void send(ApiRequest request) {
    open(request).close();
  }

  /** Sends it again where that is allowed; the answer is a success and is the caller's to close. */
  HttpAnswer open(ApiRequest request) {
    for (int attempt = 1; ; attempt++) {
      Duration wait = policy.delay(attempt);
      boolean last = attempt >= policy.attempts();
      try {
        HttpAnswer answer = transport.send(request.to(endpoint));
        if (answer.status() < 400) {
          return answer;
        }
        Duration asked = ErrorAnswers.retryAfter(answer);
        if (last || !refusedForNow(request, answer, asked)) {
          throw ErrorAnswers.read(answer);
        }
        answer.close();
        wait = asked == null ? wait : asked;
      } catch (InterruptedException | InterruptedIOException e) {
        throw interruptedOrLate(request, e);
      } catch (IOException e) {
        if (last || !mayRepeat(request, e)) {
          throw failure(request, e);
        }
        findServerAgain();
      }
      pause(wait);
    }
  }

  /** Sends it once, without a second attempt of any kind. */
  HttpAnswer openOnce(ApiRequest request) throws IOException {
    try {
      HttpAnswer answer = transport.send(request.to(endpoint));
      if (answer.status() >= 400) {
        throw ErrorAnswers.read(answer);
      }
      return answer;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CallInterruptedException(e);
    }
  }

  /** Does something that must reach the server although the calling thread was interrupted. */
  void evenIfInterrupted(Runnable action) {
    boolean interrupted = Thread.interrupted();
    try {
      action.run();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  static void pause(Duration time) {
    try {
      Thread.sleep(time.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CallInterruptedException(e);
    }
  }

  private <T> T decode(ApiRequest request, Function<byte[], T> reader) {
    try (HttpAnswer answer = open(request)) {
      return reader.apply(answer.body().readAllBytes());
    } catch (IOException e) {
      throw failure(request, e);
    } catch (JacksonException e) {
      throw new ApiException(
          ApiException.local(
              ErrorCode.INTERNAL,
              "cannot understand the answer to " + request,
              "check that SDK and server are of the same version"),
          e);
    }
  }

  private boolean refusedForNow(ApiRequest request, HttpAnswer answer, @Nullable Duration asked) {
    if (!request.repeatable()) {
      return false;
    }
    if (asked != null && asked.compareTo(policy.longestDelay()) > 0) {
      return false;
    }
    return answer.status() == 503 || (answer.status() == 429 && asked != null);
  }

  private static boolean mayRepeat(ApiRequest request, IOException e) {
    return request.safe() || (e instanceof ConnectException && request.repeatable());
  }

  private ApiException interruptedOrLate(ApiRequest request, Exception e) {
    if (e instanceof SocketTimeoutException timeout) {
      return late(request, timeout);
    }
    Thread.currentThread().interrupt();
    return new CallInterruptedException(e);
  }

  private ApiException failure(ApiRequest request, IOException e) {
    if (e instanceof HttpTimeoutException) {
      return late(request, e);
    }
    if (e instanceof ConnectException) {
      return new ConnectionException(
          "cannot reach the Atoll server at " + endpoint.url(),
          search.local() ? "start it with ./atoll up" : "check ATOLL_URL, and that it is running",
          e);
    }
    return new ConnectionException(
        "the connection to the Atoll server at " + endpoint.url() + " broke during " + request,
        "it may have been restarted; try again",
        e);
  }

  private static ApiException late(ApiRequest request, IOException e) {
    return new DeadlineExceededException(
        ApiException.local(ErrorCode.TIMEOUT, "no answer in time to " + request, null), e);
  }
}
