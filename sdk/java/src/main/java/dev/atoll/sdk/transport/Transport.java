package dev.atoll.sdk.transport;

import java.io.IOException;

/** Sends one HTTP request. Implementations are safe for use by many threads at once. */
public interface Transport {
  /**
   * Sends a request and returns as soon as the head of the answer is there; its body is read from
   * the stream while it arrives. Any status is an answer, not an exception. A request is sent at
   * most once, unless it is a GET or a HEAD.
   *
   * @throws java.net.ConnectException if nothing was sent because there is nobody to talk to
   * @throws IOException if the connection broke or the time was up before the head arrived
   * @throws InterruptedException if the calling thread was interrupted while it waited
   */
  HttpAnswer send(HttpCall call) throws IOException, InterruptedException;
}
