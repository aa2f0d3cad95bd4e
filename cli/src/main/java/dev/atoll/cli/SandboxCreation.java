package dev.atoll.cli;

import dev.atoll.model.SandboxSpec;
import dev.atoll.sdk.ApiException;
import dev.atoll.sdk.Sandbox;

/**
 * Makes a sandbox. When that takes long, it is the template that is being built for the first time,
 * and what is being done is shown; a warm creation is one request and nothing else.
 */
final class SandboxCreation {
  private static final long PATIENCE_MILLIS = 1_500;
  private static final long REMIND_MILLIS = 20_000;

  private final Session session;
  private final SandboxSpec spec;
  private volatile boolean done;
  private volatile String latest = "";
  private volatile int shown;

  SandboxCreation(Session session, SandboxSpec spec) {
    this.session = session;
    this.spec = spec;
  }

  Sandbox create() {
    if (spec.snapshot() != null) {
      return session.atoll().sandboxes().create(spec);
    }
    Thread watcher = new Thread(this::watch, "atoll-template-progress");
    watcher.setDaemon(true);
    watcher.start();
    try {
      return session.atoll().sandboxes().create(spec);
    } finally {
      done = true;
      watcher.interrupt();
    }
  }

  private void watch() {
    try {
      Thread.sleep(PATIENCE_MILLIS);
    } catch (InterruptedException e) {
      return;
    }
    try {
      if (!session.atoll().templates().get(template()).state().equals("ready")) {
        show("begun");
        Thread.ofPlatform().daemon().name("atoll-template-time").start(this::remind);
        session.atoll().templates().build(template(), this::show);
      }
    } catch (ApiException e) {
      // The creation itself tells what is wrong.
    }
  }

  /** Some steps take minutes and say nothing; whoever waits should see that time is not lost. */
  private void remind() {
    long began = System.nanoTime();
    int seen = 0;
    while (!done) {
      try {
        Thread.sleep(REMIND_MILLIS);
      } catch (InterruptedException e) {
        return;
      }
      long seconds = (System.nanoTime() - began) / 1_000_000_000;
      if (shown == seen) {
        print(latest + " (" + seconds + " s)");
      }
      seen = shown;
    }
  }

  private synchronized void show(String message) {
    shown++;
    if (!message.equals(latest)) {
      latest = message;
      print(message);
    }
  }

  private void print(String message) {
    if (!done) {
      session.stdio().message("building template " + template() + ": " + message);
    }
  }

  private String template() {
    return spec.template() == null ? "python" : spec.template();
  }
}
