package dev.atoll.server.mcp;

import java.util.ArrayList;
import java.util.List;

/** A request that is under way, and what to do if the client no longer wants it. */
final class McpCall {
  private final McpSession session;
  private final List<Runnable> actions = new ArrayList<>();
  private boolean cancelled;

  McpCall(McpSession session) {
    this.session = session;
  }

  McpSession session() {
    return session;
  }

  synchronized boolean cancelled() {
    return cancelled;
  }

  /** Stops what the call does, now and from now on; it is not answered any more. */
  void cancel() {
    List<Runnable> due;
    synchronized (this) {
      cancelled = true;
      due = List.copyOf(actions);
    }
    due.forEach(Runnable::run);
  }

  /** What stops the call until the scope is left; done at once if it is cancelled already. */
  Scope onCancel(Runnable action) {
    boolean now;
    synchronized (this) {
      actions.add(action);
      now = cancelled;
    }
    if (now) {
      action.run();
    }
    return () -> leave(action);
  }

  private synchronized void leave(Runnable action) {
    actions.remove(action);
  }

  /** A part of a call that can be stopped. */
  interface Scope extends AutoCloseable {
    @Override
    void close();
  }
}
