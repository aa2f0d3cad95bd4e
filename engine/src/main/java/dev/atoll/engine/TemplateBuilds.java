package dev.atoll.engine;

import dev.atoll.driver.MachineLimits;
import dev.atoll.engine.quota.Charge;
import dev.atoll.engine.quota.Hold;
import dev.atoll.engine.quota.Quotas;
import dev.atoll.engine.store.BuildRows;
import dev.atoll.engine.store.TemplateRows;
import dev.atoll.engine.template.BuildLog;
import dev.atoll.engine.template.BuildPlan;
import dev.atoll.engine.template.BuildScope;
import dev.atoll.engine.template.Recipe;
import dev.atoll.engine.template.RecipeReader;
import dev.atoll.engine.template.TemplateSettings;
import dev.atoll.model.AtollException;
import dev.atoll.model.BuildEvent;
import dev.atoll.model.BuildInfo;
import dev.atoll.model.ErrorBody;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds of templates that projects ask for. */
public final class TemplateBuilds {
  private static final Logger LOG = LoggerFactory.getLogger(TemplateBuilds.class);
  private static final Duration KEEP = Duration.ofDays(7);
  private static final int MOST_AT_ONCE = 4;

  private final Templates templates;
  private final TemplateRows versions;
  private final BuildRows rows;
  private final TemplateSettings settings;
  private final Path logs;
  private final Quotas quotas;
  private final Map<String, Running> running = new ConcurrentHashMap<>();

  TemplateBuilds(
      Templates templates,
      TemplateRows versions,
      BuildRows rows,
      TemplateSettings settings,
      Path logs,
      Quotas quotas) {
    this.templates = templates;
    this.versions = versions;
    this.rows = rows;
    this.settings = settings;
    this.logs = logs;
    this.quotas = quotas;
    int cut = rows.endOpen("the server ended in the middle of it");
    if (cut > 0) {
      LOG.info("{} builds of templates were cut off", cut);
    }
    rows.purge(Instant.now().minus(KEEP)).forEach(this::forget);
  }

  /** A build that has not ended. */
  private static final class Running {
    final String project;
    final BuildInfo info;
    final Recipe recipe;
    final BuildLog log;
    final Consumer<BuildEvent> listener;
    final BuildScope search;
    volatile @Nullable BuildPlan plan;
    volatile boolean cancelled;

    Running(String project, BuildInfo info, Recipe recipe, BuildLog log, TemplateMaker maker) {
      this.project = project;
      this.info = info;
      this.recipe = recipe;
      this.log = log;
      this.listener = event -> hear(event, maker);
      this.search = new BuildScope(project, listener);
    }

    /** One that was cancelled before it had begun learns of it at its first step. */
    private void hear(BuildEvent event, TemplateMaker maker) {
      log.add(event);
      if (cancelled) {
        maker.leave(listener);
      }
    }
  }

  /** Begins a build; it goes on by itself until it is done or cancelled. */
  public BuildInfo start(String project, byte[] text) {
    Recipe recipe = RecipeReader.read("the recipe", text);
    requireFree(project, recipe.name());
    requireRemote(recipe);
    BuildPlan plan = recipe.base().image() == null ? templates.plan(project, recipe) : null;
    BuildInfo info =
        new BuildInfo(Ids.build(), recipe.name(), "running", null, null, NewSandbox.now(), null);
    Hold hold = quotas.hold(project, charge(info));
    boolean begun = false;
    try {
      begin(project, info, recipe, plan, text, hold);
      begun = true;
      return info;
    } finally {
      if (!begun) {
        hold.close();
      }
    }
  }

  private void begin(
      String project,
      BuildInfo info,
      Recipe recipe,
      @Nullable BuildPlan plan,
      byte[] text,
      Hold hold) {
    BuildLog log = BuildLog.create(file(info.id()));
    Running build = new Running(project, info, recipe, log, templates.maker());
    build.plan = plan;
    rows.insert(project, info);
    running.put(info.id(), build);
    log.add(new BuildEvent.BuildStarted(info.id(), recipe.name()));
    Thread.ofVirtual()
        .name("build-" + info.id())
        .start(
            () -> {
              try (hold) {
                run(build, new String(text, StandardCharsets.UTF_8));
              }
            });
  }

  /** What a build takes while it goes on, whether its machine stands at the moment or not. */
  private Charge charge(BuildInfo build) {
    MachineLimits machine = settings.machine();
    return Charge.machine(
            "build",
            build.id(),
            build.template(),
            machine.cpus(),
            (double) (machine.memoryBytes() >> 20))
        .and(Charge.disk("build", build.id(), build.template(), 0));
  }

  private static void requireRemote(Recipe recipe) {
    // The host fetches archives with its own npm and what that may read.
    if (recipe.base().isLocal() || !recipe.archives().isEmpty()) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT,
          recipe.base().isLocal() ? "base.tarball must be a URL" : "archives cannot be given here",
          "paths of the host, and archives, are for recipes that come with the server");
    }
  }

  private void requireFree(String project, String name) {
    if (templates.isBuiltIn(name) && versions.versions(project, name).isEmpty()) {
      throw new AtollException(
          ErrorCode.NAME_TAKEN,
          "a template " + name + " comes with the server",
          "give yours another name");
    }
    if (versions.count(project) >= settings.maxPerProject()) {
      throw new AtollException(
          ErrorCode.QUOTA_EXCEEDED,
          "the project has %d versions of templates, which is its limit"
              .formatted(settings.maxPerProject()),
          "delete some of them, or raise template.max-per-project",
          Map.of("limit", settings.maxPerProject()),
          null);
    }
    long open = running.values().stream().filter(b -> b.project.equals(project)).count();
    if (open >= MOST_AT_ONCE) {
      throw new AtollException(
          ErrorCode.QUOTA_EXCEEDED,
          "the project is building " + open + " templates already",
          "wait for one of them",
          Map.of("limit", MOST_AT_ONCE),
          null);
    }
  }

  private void run(Running build, String recipe) {
    String id = build.info.id();
    BuildEvent end;
    try {
      TemplateRows.Row row = make(build, recipe);
      rows.end(id, "done", row.version(), null);
      String reference = row.name() + "@" + row.version();
      end = new BuildEvent.BuildReady(templates.get(build.project, reference));
    } catch (RuntimeException e) {
      AtollException known = known(e);
      String message = String.valueOf(known.getMessage());
      rows.end(id, build.cancelled ? "cancelled" : "failed", null, message);
      end =
          new BuildEvent.BuildFailed(
              new ErrorBody(known.code(), message, known.hint(), id, known.details()));
    } finally {
      running.remove(id);
    }
    build.log.add(end);
  }

  private TemplateRows.Row make(Running build, String recipe) {
    BuildPlan planned = build.plan;
    BuildPlan plan =
        planned == null ? templates.plan(build.project, build.recipe, build.search) : planned;
    build.plan = plan;
    templates.make(build.project, plan, templates.drivers().best(), build.listener);
    if (build.cancelled) {
      throw new AtollException(ErrorCode.TEMPLATE_BUILD_FAILED, "the build was cancelled");
    }
    long size = templates.builder().built().size(plan.digest());
    String name = plan.recipe().name();
    try (Hold _ = quotas.hold(build.project, Charge.disk("template", plan.digest(), name, size))) {
      return versions.add(
          build.project, name, plan.digest(), plan.recipe().description(), recipe, size);
    } catch (AtollException e) {
      discard(build, plan.digest());
      throw e;
    }
  }

  /** Removes the files of a template that nobody has or is about to have. */
  private void discard(Running failed, String digest) {
    boolean wanted =
        running.values().stream()
            .filter(build -> build != failed)
            .map(build -> build.plan)
            .anyMatch(plan -> plan == null || plan.digest().equals(digest));
    if (wanted || versions.has(digest) || templates.isBuiltInDigest(digest)) {
      return;
    }
    boolean _ =
        templates.whileFree(
            digest,
            () -> {
              templates.maker().forget(digest);
              templates.builder().built().delete(digest);
            });
  }

  private static AtollException known(RuntimeException e) {
    if (e instanceof AtollException own) {
      return own;
    }
    LOG.warn("a template could not be built", e);
    return new AtollException(
        ErrorCode.TEMPLATE_BUILD_FAILED,
        "the template could not be built: " + e.getMessage(),
        "look into the server's log",
        Map.of(),
        e);
  }

  /** Ends a build; one that has ended is left as it is. */
  public void cancel(String project, String name, String id) {
    BuildInfo _ = get(project, name, id);
    Running build = running.get(id);
    if (build != null) {
      build.cancelled = true;
      build.search.cancel();
      templates.maker().leave(build.listener);
    }
  }

  public BuildInfo get(String project, String name, String id) {
    return rows.find(project, name, id)
        .orElseThrow(
            () ->
                new AtollException(
                    ErrorCode.NOT_FOUND,
                    "template " + name + " has no build " + id,
                    "list them with `atoll template logs " + name + "`"));
  }

  /** The builds of a template, the newest first; they are kept for a week. */
  public List<BuildInfo> list(String project, String name) {
    return rows.list(project, name);
  }

  /** What a build has said and says. */
  public BuildLog.Reader log(String project, String name, String id) {
    BuildInfo _ = get(project, name, id);
    Running build = running.get(id);
    return (build == null ? BuildLog.ended(file(id)) : build.log).read();
  }

  private Path file(String id) {
    return logs.resolve(id + ".ndjson");
  }

  private void forget(String id) {
    try {
      Files.deleteIfExists(file(id));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void close() {
    running
        .values()
        .forEach(
            build -> {
              build.cancelled = true;
              build.search.cancel();
            });
    templates.maker().close();
  }
}
