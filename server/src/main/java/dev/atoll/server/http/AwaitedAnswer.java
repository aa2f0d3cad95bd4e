package dev.atoll.server.http;

import dev.atoll.model.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;

/**
 * One JSON object that takes its time. While it does, spaces are sent, which mean nothing in JSON:
 * they show whether the caller is still there, and keep proxies from giving up. When he has gone,
 * the task is told to stop.
 */
final class AwaitedAnswer {
  /** Short tasks are answered as any other, with a length. */
  private static final Duration SPACE = Duration.ofSeconds(2);

  private final Exchange exchange;

  AwaitedAnswer(Exchange exchange) {
    this.exchange = exchange;
  }

  /**
   * Runs the task and sends what it gives.
   *
   * @param stop makes a task that is under way end soon
   */
  void send(Supplier<?> task, Runnable stop) throws IOException, InterruptedException {
    CompletableFuture<Object> result = new CompletableFuture<>();
    Thread.ofVirtual()
        .name("task-" + exchange.requestId())
        .start(
            () -> {
              try {
                result.complete(task.get());
              } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
              }
            });
    boolean whole = false;
    boolean begun = false;
    try {
      while (!ended(result)) {
        space(begun);
        begun = true;
      }
      whole = true;
    } finally {
      if (!whole) {
        stop.run();
      }
    }
    answer(result, begun);
  }

  private static boolean ended(CompletableFuture<Object> result) throws InterruptedException {
    try {
      result.get(SPACE.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (ExecutionException e) {
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }

  private void space(boolean begun) throws IOException {
    if (!begun) {
      exchange.response().setStatus(200);
      exchange.response().getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
    }
    Content.Sink.write(exchange.response(), false, ByteBuffer.wrap(new byte[] {' '}));
  }

  private void answer(CompletableFuture<Object> result, boolean begun) {
    Object value;
    try {
      value = result.join();
    } catch (CompletionException e) {
      RuntimeException why =
          e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
      if (!begun) {
        throw why;
      }
      exchange.abort(why);
      return;
    }
    if (begun) {
      exchange.finish(ByteBuffer.wrap(Json.lenient().writeValueAsBytes(value)));
    } else {
      exchange.json(200, value);
    }
  }
}
