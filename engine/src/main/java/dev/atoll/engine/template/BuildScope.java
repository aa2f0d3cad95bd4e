package dev.atoll.engine.template;

import dev.atoll.model.AtollException;
import dev.atoll.model.BuildEvent;
import dev.atoll.model.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A build under way: where it tells what it does, and how it is ended. Thread-safe. */
public final class BuildScope {
  private final String project;
  private final Consumer<BuildEvent> listener;
  private final List<Runnable> cancellations = new ArrayList<>();
  private boolean cancelled;

  /**
   * @param project whose limits and records count for what the build does on the network
   */
  public BuildScope(String project, Consumer<BuildEvent> listener) {
    this.project = project;
    this.listener = listener;
  }

  /** Something that can be ended, for as long as this is open. */
  interface Stage extends AutoCloseable {
    @Override
    void close();
  }

  String project() {
    return project;
  }

  void progress(String message) {
    listener.accept(new BuildEvent.BuildStep(message));
  }

  void output(String line) {
    listener.accept(new BuildEvent.BuildOutput(line));
  }

  /** Ends the build: what is under way is stopped, and nothing else begins. */
  public void cancel() {
    List<Runnable> stops;
    synchronized (this) {
      cancelled = true;
      stops = List.copyOf(cancellations);
    }
    stops.forEach(Runnable::run);
  }

  /** Says how to stop what begins now. */
  Stage stage(Runnable stop) {
    synchronized (this) {
      check();
      cancellations.add(stop);
    }
    return () -> {
      synchronized (this) {
        cancellations.remove(stop);
      }
    };
  }

  /** Takes a process that is to end with the build, if it is cancelled. */
  void stopping(Process process) {
    // Not killed: one in a jail is to end before the one who waits for it outside.
    Stage stage = stage(process::destroy);
    CompletableFuture<?> _ = process.onExit().thenRun(stage::close);
  }

  /** To be called wherever it may stop. */
  synchronized void check() {
    if (cancelled) {
      throw new AtollException(
          ErrorCode.TEMPLATE_BUILD_FAILED,
          "the build was cancelled",
          "steps that were done are kept; build it again to go on");
    }
  }
}
