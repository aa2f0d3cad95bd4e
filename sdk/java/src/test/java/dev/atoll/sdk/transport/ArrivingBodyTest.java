package dev.atoll.sdk.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ArrivingBodyTest {
  private final ArrivingBody body = new ArrivingBody();
  private final AtomicLong asked = new AtomicLong();
  private final AtomicBoolean cancelled = new AtomicBoolean();

  ArrivingBodyTest() {
    body.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long count) {
            asked.addAndGet(count);
          }

          @Override
          public void cancel() {
            cancelled.set(true);
          }
        });
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void itIsReadInOrderToItsEnd() throws Exception {
    body.onNext(List.of(bytes("one "), bytes(""), bytes("two ")));
    body.onNext(List.of(bytes("three")));
    body.onComplete();
    assertThat(new String(body.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("one two three");
    assertThat(body.read()).isEqualTo(-1);
  }

  @Test
  void noMoreIsAskedForThanIsRead() throws Exception {
    assertThat(asked).hasValue(1);
    body.onNext(List.of(bytes("ab")));
    assertThat(asked).hasValue(1);
    assertThat(body.read()).isEqualTo('a');
    assertThat(asked).hasValue(2);
    assertThat(body.read()).isEqualTo('b');
    assertThat(asked).hasValue(2);
  }

  @Test
  void aBrokenConnectionIsToldAfterWhatCame() throws Exception {
    body.onNext(List.of(bytes("a")));
    body.onError(new IOException("reset"));
    assertThat(body.read()).isEqualTo('a');
    assertThatThrownBy(body::read).isInstanceOf(IOException.class).hasMessage("reset");
    assertThatThrownBy(body::read).isInstanceOf(IOException.class);
  }

  @Test
  void anInterruptEndsAReadThatWaits() throws Exception {
    CompletableFuture<Throwable> outcome = new CompletableFuture<>();
    Thread reader =
        new Thread(
            () -> {
              try {
                outcome.completeExceptionally(new AssertionError(body.read()));
              } catch (IOException e) {
                outcome.complete(e);
              }
            });
    reader.start();
    while (reader.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    reader.interrupt();
    assertThat(outcome.get(60, TimeUnit.SECONDS)).isInstanceOf(InterruptedIOException.class);
    assertThat(cancelled).isTrue();
    reader.join();
  }

  @Test
  void closingItEndsAReadOfAnotherThread() throws Exception {
    CompletableFuture<Throwable> outcome = new CompletableFuture<>();
    Thread reader =
        new Thread(
            () -> {
              try {
                outcome.completeExceptionally(new AssertionError(body.read()));
              } catch (IOException e) {
                outcome.complete(e);
              }
            });
    reader.start();
    body.close();
    assertThat(outcome.get(60, TimeUnit.SECONDS)).isInstanceOf(IOException.class);
    reader.join();
  }
}
