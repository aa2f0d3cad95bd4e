package dev.atoll.cli;

import dev.atoll.model.SandboxSpec;
import dev.atoll.sdk.ApiException;
import dev.atoll.sdk.Sandbox;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A sandbox for one command; it is gone afterwards, also when the program is told to stop. */
final class TemporarySandbox implements AutoCloseable {
  private static final Duration DEADLINE = Duration.ofSeconds(3);

  private final CompletableFuture<Sandbox> created = new CompletableFuture<>();
  private final Thread hook = new Thread(this::removeInTime, "atoll-remove");
  private final Sandbox sandbox;

  TemporarySandbox(Session session, SandboxSpec spec) {
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      sandbox = new SandboxCreation(session, spec).create();
      created.complete(sandbox);
    } catch (RuntimeException e) {
      created.completeExceptionally(e);
      unhook();
      throw e;
    }
  }

  Sandbox sandbox() {
    return sandbox;
  }

  @Override
  public void close() {
    sandbox.close();
    unhook();
  }

  private void unhook() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The hook is running already.
    }
  }

  /** A creation under way is waited for, so that nothing is left behind. */
  private void removeInTime() {
    Thread remover = new Thread(this::remove, "atoll-remover");
    remover.setDaemon(true);
    remover.start();
    try {
      remover.join(DEADLINE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void remove() {
    try {
      created.get(DEADLINE.toMillis(), TimeUnit.MILLISECONDS).terminate();
    } catch (ApiException | ExecutionException | TimeoutException e) {
      // Its lifetime on the server ends it.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
