package dev.atoll.server.http;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries the body of a request to a program, on a thread of its own, since the program may answer
 * before it has read all.
 */
final class PortUpload {
  private static final Logger log = LoggerFactory.getLogger(PortUpload.class);
  private static final int BUFFER = 32 << 10;

  /** How long a program may take to say whether it wants the body; many never say. */
  private static final Duration CONTINUE_PATIENCE = Duration.ofSeconds(1);

  private final Request request;
  private final PortSender sender;
  private final Runnable brokenOff;
  private final CountDownLatch wanted;
  private final Thread thread;
  private volatile boolean answered;
  private volatile boolean complete;
  private volatile @Nullable IOException callerFailure;

  /**
   * @param waits whether the program is to be asked first
   * @param brokenOff called when the caller has gone before the end
   */
  PortUpload(Request request, PortSender sender, boolean waits, Runnable brokenOff) {
    this.request = request;
    this.sender = sender;
    this.brokenOff = brokenOff;
    this.wanted = new CountDownLatch(waits ? 1 : 0);
    this.thread = Thread.ofVirtual().name("port-upload").start(this::carry);
  }

  /** The program has said that it wants the body. */
  void proceed() {
    wanted.countDown();
  }

  /** The program has begun its answer; a body that it did not ask for is not sent any more. */
  void answered() {
    answered = true;
    wanted.countDown();
  }

  boolean complete() {
    return complete;
  }

  /** What the caller did, if that is why the program was cut off. */
  @Nullable IOException callerFailure() {
    return callerFailure;
  }

  /** Waits for the thread, which ends soon once the connection is closed or the body has ended. */
  void join(Duration patience) throws InterruptedException {
    thread.join(patience);
  }

  private void carry() {
    try {
      boolean asked = wanted.getCount() > 0;
      boolean _ = wanted.await(CONTINUE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      if (asked && answered) {
        return;
      }
      send(Content.Source.asInputStream(request));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void send(InputStream body) {
    byte[] buffer = new byte[BUFFER];
    while (true) {
      int count;
      try {
        count = body.read(buffer);
      } catch (IOException e) {
        callerFailure = e;
        brokenOff.run();
        return;
      }
      try {
        sender.send(ByteBuffer.wrap(buffer, 0, Math.max(0, count)), count < 0);
      } catch (IOException e) {
        // What the program said before it hung up is what the caller gets.
        log.debug("a program did not take the whole body", e);
        return;
      }
      if (count < 0) {
        complete = true;
        return;
      }
    }
  }
}
