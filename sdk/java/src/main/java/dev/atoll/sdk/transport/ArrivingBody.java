package dev.atoll.sdk.transport;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * The body of an answer while it arrives, no more of it than is read. An interrupt ends a read that
 * waits; that of the JDK's own stream goes on waiting in JDK 17.
 *
 * <p>One thread reads; the client's threads deliver.
 */
final class ArrivingBody extends InputStream implements BodySubscriber<InputStream> {
  /** What was delivered: buffers, or how the body ended. */
  private record Delivery(List<ByteBuffer> buffers, boolean last, @Nullable Throwable failure) {}

  private final BlockingQueue<Delivery> deliveries = new LinkedBlockingQueue<>();
  private final Queue<ByteBuffer> waiting = new ArrayDeque<>();
  private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
  private @Nullable Delivery end;
  private volatile boolean closed;

  @Override
  public CompletionStage<InputStream> getBody() {
    return CompletableFuture.completedStage(this);
  }

  @Override
  public void onSubscribe(Flow.Subscription source) {
    if (!subscription.complete(source) || closed) {
      source.cancel();
    } else {
      source.request(1);
    }
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    deliveries.add(new Delivery(buffers, false, null));
  }

  @Override
  public void onError(Throwable failure) {
    deliveries.add(new Delivery(List.of(), true, failure));
  }

  @Override
  public void onComplete() {
    deliveries.add(new Delivery(List.of(), true, null));
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    ByteBuffer buffer = next();
    if (buffer == null) {
      return -1;
    }
    int count = Math.min(length, buffer.remaining());
    buffer.get(target, offset, count);
    return count;
  }

  @Override
  public int available() {
    ByteBuffer buffer = waiting.peek();
    return buffer == null ? 0 : buffer.remaining();
  }

  /** A buffer with something in it; null at the end. */
  private @Nullable ByteBuffer next() throws IOException {
    while (true) {
      ByteBuffer buffer = waiting.peek();
      if (buffer != null && buffer.hasRemaining()) {
        return buffer;
      }
      if (buffer != null) {
        waiting.remove();
        continue;
      }
      if (end != null) {
        return ended(end);
      }
      accept(await());
    }
  }

  private void accept(Delivery delivery) {
    if (delivery.last()) {
      end = delivery;
    } else {
      waiting.addAll(delivery.buffers());
      subscription.join().request(1);
    }
  }

  private static @Nullable ByteBuffer ended(Delivery end) throws IOException {
    Throwable failure = end.failure();
    if (failure != null) {
      throw new IOException(failure.getMessage(), failure);
    }
    return null;
  }

  private Delivery await() throws IOException {
    if (closed) {
      throw new IOException("the answer is closed");
    }
    try {
      return deliveries.take();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      close();
      InterruptedIOException interrupted = new InterruptedIOException("interrupted while reading");
      interrupted.initCause(e);
      throw interrupted;
    }
  }

  /** Gives the connection up, unless all of it has come. */
  @Override
  public void close() {
    closed = true;
    Flow.Subscription source = subscription.getNow(null);
    if (source != null) {
      source.cancel();
    }
    // A thread that reads is told.
    deliveries.add(new Delivery(List.of(), true, new IOException("the answer was closed")));
  }
}
