package dev.atoll.engine.inject;

import java.util.concurrent.CompletableFuture;

/** A request that is being forwarded, and its response. */
final class Exchange {
  private final Head request;
  private final Masking masking;
  private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
  private volatile boolean waiting;

  /** What becomes of the connection after a response. */
  enum Outcome {
    KEPT,
    CLOSED,
    UPGRADED
  }

  /**
   * @param masking what is taken out of the response
   */
  Exchange(Head request, Masking masking) {
    this.request = request;
    this.masking = masking;
    this.waiting = request.lists("Expect", "100-continue");
  }

  Head request() {
    return request;
  }

  Masking masking() {
    return masking;
  }

  /** Whether the response has no body whatever it says. */
  boolean isHead() {
    return request.line().equals("HEAD");
  }

  /** The body has begun to come. */
  void began() {
    waiting = false;
  }

  /**
   * Whether the program keeps its body back until it is asked for it. When the host answers
   * otherwise nobody knows if the body will come, so the connection cannot be used again.
   */
  boolean isWaiting() {
    return waiting;
  }

  /** The response has been handed on, or will not be. */
  void ended(Outcome how) {
    outcome.complete(how);
  }

  /** Waits for the response; whoever ends the connection ends the wait too. */
  Outcome await() {
    return outcome.join();
  }
}
