package dev.atoll.engine;

import dev.atoll.driver.Driver;
import dev.atoll.engine.template.BuildPlan;
import dev.atoll.engine.template.BuildScope;
import dev.atoll.engine.template.TemplateBuilder;
import dev.atoll.engine.template.TemplateBuilder.Template;
import dev.atoll.model.AtollException;
import dev.atoll.model.BuildEvent;
import dev.atoll.model.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds templates, each once: whoever wants one that is being built joins that build. A build goes
 * on when some of them leave.
 */
final class TemplateMaker {
  private static final Logger LOG = LoggerFactory.getLogger(TemplateMaker.class);

  private static final int PATIENCE_SECONDS = 10;

  private final TemplateBuilder builder;
  private final Map<String, Build> builds = new ConcurrentHashMap<>();

  TemplateMaker(TemplateBuilder builder) {
    this.builder = builder;
  }

  /** A build under way or done, with those who want to know how it goes. */
  private static final class Build {
    final CompletableFuture<Template> template = new CompletableFuture<>();
    final List<Consumer<BuildEvent>> listeners = new CopyOnWriteArrayList<>();
    final BuildScope scope;
    volatile @Nullable String latest;

    Build(String project) {
      this.scope = new BuildScope(project, this::tell);
    }

    synchronized void tell(BuildEvent event) {
      if (event instanceof BuildEvent.BuildStep progress) {
        latest = progress.message();
      }
      listeners.forEach(listener -> listener.accept(event));
    }

    /** Whoever comes later learns first what is being done; the next step may be minutes away. */
    synchronized void join(Consumer<BuildEvent> listener) {
      String now = latest;
      if (now != null && !template.isDone()) {
        listener.accept(new BuildEvent.BuildStep(now));
      }
      listeners.add(listener);
    }
  }

  /** What a build is doing or why it failed; null when there is none, or it is done. */
  record Status(String state, @Nullable String message) {}

  @Nullable Status status(String digest) {
    Build build = builds.get(digest);
    if (build == null || (build.template.isDone() && !build.template.isCompletedExceptionally())) {
      return null;
    }
    return new Status(build.template.isDone() ? "failed" : "building", build.latest);
  }

  /**
   * The template, built if need be; what it stands on is built by the caller.
   *
   * @param project whose network the build uses
   */
  Template make(String project, BuildPlan plan, Driver driver, Consumer<BuildEvent> listener) {
    List<Build> started = new ArrayList<>(1);
    Build build =
        builds.compute(
            plan.digest(),
            (key, existing) -> {
              if (existing != null && !existing.template.isDone()) {
                return existing;
              }
              if (existing != null
                  && !existing.template.isCompletedExceptionally()
                  && builder.isBuilt(key, driver)) {
                return existing;
              }
              Build fresh = new Build(project);
              started.add(fresh);
              return fresh;
            });
    build.join(listener);
    for (Build fresh : started) {
      // On a thread of its own: whoever asked for it may go away, and others may be waiting.
      Thread.ofVirtual()
          .name("template-" + plan.recipe().name())
          .start(() -> run(fresh, plan, driver));
    }
    try {
      return build.template.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof AtollException known) {
        throw known;
      }
      throw new AtollException(
          ErrorCode.TEMPLATE_BUILD_FAILED,
          "template %s could not be built: %s".formatted(plan.recipe().name(), e.getCause()),
          null,
          Map.of(),
          e);
    } finally {
      build.listeners.remove(listener);
    }
  }

  private void run(Build build, BuildPlan plan, Driver driver) {
    try {
      build.template.complete(builder.build(plan, driver, build.scope));
    } catch (RuntimeException e) {
      LOG.warn("template {}: {}", plan.recipe().name(), e.getMessage());
      build.latest = e.getMessage();
      build.template.completeExceptionally(e);
    }
  }

  /** Ends the builds that only this listener follows; others keep theirs going. */
  void leave(Consumer<BuildEvent> listener) {
    builds.values().stream()
        .filter(build -> build.listeners.equals(List.of(listener)))
        .forEach(build -> build.scope.cancel());
  }

  void forget(String digest) {
    builds.computeIfPresent(digest, (key, build) -> build.template.isDone() ? null : build);
  }

  /** Ends all builds and waits a moment for them to clean up; the next start does the rest. */
  void close() {
    List<Build> open = builds.values().stream().filter(b -> !b.template.isDone()).toList();
    open.forEach(build -> build.scope.cancel());
    CompletableFuture<?>[] ends =
        open.stream().map(build -> build.template).toArray(CompletableFuture[]::new);
    try {
      CompletableFuture.allOf(ends).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.debug("builds were cut off", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
