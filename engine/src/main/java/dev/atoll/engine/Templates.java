package dev.atoll.engine;

import dev.atoll.driver.Checkpoint;
import dev.atoll.driver.Driver;
import dev.atoll.engine.store.TemplateRows;
import dev.atoll.engine.template.BuildPlan;
import dev.atoll.engine.template.BuildScope;
import dev.atoll.engine.template.ImportedRoots;
import dev.atoll.engine.template.ProgramRecipe;
import dev.atoll.engine.template.Recipe;
import dev.atoll.engine.template.TemplateBuilder;
import dev.atoll.engine.template.TemplateBuilder.Template;
import dev.atoll.model.AtollException;
import dev.atoll.model.BuildEvent;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.TemplateInfo;
import dev.atoll.model.TemplateReference;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The templates that sandboxes are made from: those that come with the server, each built when it
 * is first needed, and those that projects have built.
 */
public final class Templates {
  private static final Logger LOG = LoggerFactory.getLogger(Templates.class);
  private final Object mending = new Object();
  private final BuiltIns builtIns;
  private final TemplateRows rows;
  private final OwnTemplates own;
  private final TemplateBuilder builder;
  private final DriverChoice drivers;
  private final ImportedRoots imported;
  private final TemplateMaker maker;
  // Digests that a sandbox is being made from, and how many times.
  private final Map<String, Integer> held = new HashMap<>();

  Templates(
      Path recipes,
      TemplateRows rows,
      TemplateBuilder builder,
      ImportedRoots imported,
      DriverChoice drivers) {
    this.builtIns = new BuiltIns(recipes);
    this.rows = rows;
    this.own = new OwnTemplates(rows);
    this.imported = imported;
    this.builder = builder;
    this.drivers = drivers;
    this.maker = new TemplateMaker(builder);
  }

  /** All that a project may use. */
  public List<TemplateInfo> list(String project) {
    List<TemplateInfo> all = new ArrayList<>();
    builtIns.names().forEach(name -> all.add(get(project, name)));
    rows.newest(project).forEach(row -> all.add(brief(project, row)));
    return all;
  }

  /** The templates that a project may use by their name alone, sorted. */
  public List<String> names(String project) {
    return Stream.concat(
            builtIns.names().stream(),
            rows.newest(project).stream()
                .filter(row -> row.project().equals(project))
                .map(TemplateRows.Row::name))
        .distinct()
        .sorted()
        .toList();
  }

  /** How programs of each language are made and run in a template. */
  public Map<String, ProgramRecipe> languages(String project, String reference) {
    return find(project, reference).recipe().languages();
  }

  /** How much a template installs; one that is built on another one is taken for more than any. */
  public int parts(String project, String reference) {
    Recipe recipe = find(project, reference).recipe();
    return recipe.base().template() == null
        ? recipe.packages().size() + recipe.archives().size()
        : Integer.MAX_VALUE;
  }

  /** The same in the template that a sandbox was made from. */
  public Map<String, ProgramRecipe> languages(SandboxInfo sandbox) {
    return builder
        .built()
        .plan(sandbox.templateDigest())
        .or(() -> builtIns.plan(sandbox.template()))
        .map(plan -> plan.recipe().languages())
        .orElse(Map.of());
  }

  /** One template; see {@link TemplateReference}. */
  public TemplateInfo get(String project, String reference) {
    TemplateReference asked = TemplateReference.parse(reference);
    Optional<BuildPlan> builtIn =
        asked.owner() == null ? builtIn(project, asked) : Optional.empty();
    if (builtIn.isPresent()) {
      return info(builtIn.get());
    }
    TemplateRows.Row row = own.row(project, asked);
    TemplateInfo brief = brief(project, row);
    boolean owned = row.project().equals(project);
    return new TemplateInfo(
        brief.name(),
        brief.digest(),
        brief.state(),
        brief.message(),
        brief.description(),
        brief.owner(),
        brief.version(),
        brief.sizeBytes(),
        brief.createdAt(),
        own.versions(row.project(), row.name()),
        owned ? rows.shares(row.project(), row.name()) : null,
        owned ? row.recipe() : null);
  }

  private TemplateInfo info(BuildPlan plan) {
    Recipe recipe = plan.recipe();
    TemplateMaker.Status status = maker.status(plan.digest());
    String state = status == null ? state(plan.digest()) : status.state();
    return TemplateInfo.builtIn(
        recipe.name(),
        plan.digest(),
        state,
        status == null ? null : status.message(),
        recipe.description(),
        state.equals("ready") ? builder.built().sizeOnce(plan.digest()) : null);
  }

  private String state(String digest) {
    boolean built = drivers.first().map(driver -> builder.isBuilt(digest, driver)).orElse(false);
    return built ? "ready" : "absent";
  }

  private TemplateInfo brief(String project, TemplateRows.Row row) {
    return new TemplateInfo(
        OwnTemplates.nameFor(project, row.project(), row.name()),
        row.digest(),
        state(row.digest()),
        null,
        row.description(),
        row.project(),
        row.version(),
        row.sizeBytes(),
        row.createdAt(),
        null,
        null,
        null);
  }

  /** A project's own template comes before one that came with a later server. */
  private Optional<BuildPlan> builtIn(String project, TemplateReference asked) {
    return own.has(project, asked.name()) ? Optional.empty() : builtIns.plan(asked.name());
  }

  boolean isBuiltIn(String name) {
    return builtIns.has(name);
  }

  /** The digest that one that comes with the server has now; empty when there is none. */
  Optional<String> builtInDigest(String name) {
    return builtIns.plan(name).map(BuildPlan::digest);
  }

  private BuildPlan find(String project, String reference) {
    TemplateReference asked = TemplateReference.parse(reference);
    Optional<BuildPlan> builtIn =
        asked.owner() == null ? builtIn(project, asked) : Optional.empty();
    if (builtIn.isPresent()) {
      if (asked.tag() != null || asked.version() != null) {
        throw new AtollException(
            ErrorCode.TEMPLATE_NOT_FOUND,
            asked.name() + " comes with the server and has neither versions nor tags",
            "name it without one");
      }
      return builtIn.get();
    }
    TemplateRows.Row row = own.row(project, asked);
    return builder
        .built()
        .plan(row.digest())
        .orElseThrow(
            () ->
                new AtollException(
                    ErrorCode.TEMPLATE_BUILD_FAILED,
                    "the files of template " + asked + " are gone",
                    "build it again"));
  }

  /** How to build a recipe of a project. */
  BuildPlan plan(String project, Recipe recipe) {
    String base = recipe.base().template();
    return BuildPlan.of(recipe, base == null ? null : find(project, base));
  }

  /** How to build a recipe on the image that its reference means now. */
  BuildPlan plan(String project, Recipe recipe, BuildScope scope) {
    return BuildPlan.onImage(project, recipe, builder.grounds().find(recipe.base(), scope));
  }

  /** Builds a template unless it is there; joins a build under way. Returns when it is ready. */
  public TemplateInfo build(String project, String reference, Consumer<BuildEvent> listener) {
    make(project, find(project, reference), drivers.best(), listener);
    return get(project, reference);
  }

  /** Makes a plan come true, with what it stands on. */
  Template make(String project, BuildPlan plan, Driver driver, Consumer<BuildEvent> listener) {
    String base = plan.recipe().base().template();
    if (base != null && !builder.built().has(plan.ground())) {
      make(project, find(project, base), driver, listener);
    }
    return maker.make(project, plan, driver, listener);
  }

  OwnTemplates own() {
    return own;
  }

  TemplateMaker maker() {
    return maker;
  }

  TemplateBuilder builder() {
    return builder;
  }

  DriverChoice drivers() {
    return drivers;
  }

  /**
   * A template that is not removed until this is released.
   *
   * @param name by which the project that asked for it knows it
   */
  record Held(String name, Template template, Runnable release) {}

  /**
   * Looks whether a template's files are damaged, after a sandbox could not be made from them since
   * that moment. If so they are taken away, and the next who asks for the template has it made
   * anew.
   *
   * @return whether it is worth to try again
   */
  boolean mend(String project, String reference, Driver driver, Instant since) {
    BuildPlan plan = find(project, reference);
    synchronized (mending) {
      Optional<String> damage = builder.damage(plan.digest(), driver);
      if (damage.isEmpty()) {
        return builder.isNewer(plan.digest(), driver, since);
      }
      LOG.warn("template {}: {}; it is made anew", plan.recipe().name(), damage.get());
      builder.removeDamaged(plan.digest(), driver);
      maker.forget(plan.digest());
      return true;
    }
  }

  /** The template, built if need be; held until it is released. */
  Held ready(String project, String reference, Driver driver) {
    String digest;
    BuildPlan plan;
    synchronized (held) {
      plan = find(project, reference);
      digest = plan.digest();
      held.merge(digest, 1, Integer::sum);
    }
    boolean done = false;
    try {
      Template template = make(project, plan, driver, event -> {});
      done = true;
      return new Held(name(project, reference), template, () -> release(digest));
    } finally {
      if (!done) {
        release(digest);
      }
    }
  }

  private static String name(String project, String reference) {
    TemplateReference asked = TemplateReference.parse(reference);
    String owner = asked.owner();
    return owner == null ? asked.name() : OwnTemplates.nameFor(project, owner, asked.name());
  }

  private void release(String digest) {
    synchronized (held) {
      held.computeIfPresent(digest, (key, count) -> count == 1 ? null : count - 1);
    }
  }

  /** Does something while no sandbox is made from that digest; false when one is. */
  boolean whileFree(String digest, Runnable work) {
    synchronized (held) {
      if (held.containsKey(digest)) {
        return false;
      }
      work.run();
      return true;
    }
  }

  /** Whether one that comes with the server has that digest. */
  boolean isBuiltInDigest(String digest) {
    return builtIns.names().stream()
        .anyMatch(name -> builtIns.plan(name).filter(p -> p.digest().equals(digest)).isPresent());
  }

  /** The variables that a template gives its sandboxes; none when nothing is known of it. */
  Map<String, String> env(String digest, String name) {
    try {
      return builder
          .built()
          .plan(digest)
          .or(() -> builtIns.plan(name))
          .map(plan -> plan.recipe().env())
          .orElse(Map.of());
    } catch (AtollException e) {
      return Map.of();
    }
  }

  /** Whether nothing was run in a template before its checkpoint, as a ready check is. */
  boolean isUntouched(String digest) {
    return builder.built().plan(digest).map(plan -> plan.recipe().ready() == null).orElse(true);
  }

  /** Where the root file system of a digest is, if it is anywhere. */
  Path rootfs(String digest) {
    return builder.built().rootfs(digest);
  }

  /**
   * The first state of a template that was built, perhaps from a recipe that has changed since. It
   * is booted once more when another version of the driver wrote the state that is there.
   */
  Optional<Checkpoint> checkpoint(String project, String digest, Driver driver) {
    return builder
        .checkpoint(digest, driver)
        .or(
            () ->
                builder
                    .built()
                    .plan(digest)
                    .map(plan -> maker.make(project, plan, driver, event -> {}).checkpoint()));
  }

  /** The digest that a template has now. */
  String digest(String project, String reference) {
    return find(project, reference).digest();
  }

  /** A folder for a root file system in the making. */
  Path aside() {
    return imported.aside();
  }

  /** The digest of a root file system with that content, if there is one here. */
  Optional<String> withFingerprint(String fingerprint) {
    return imported.withFingerprint(fingerprint);
  }

  /** A root file system that is not removed until it is released. */
  record Root(String digest, Runnable release) {}

  /** Takes in a root file system that came with a snapshot. */
  Root install(String fingerprint, Path rootfs) throws IOException {
    synchronized (held) {
      String digest = imported.install(fingerprint, rootfs);
      return new Root(digest, hold(digest));
    }
  }

  /** Keeps a root file system from being removed; to be run when it may be again. */
  Runnable hold(String digest) {
    synchronized (held) {
      held.merge(digest, 1, Integer::sum);
    }
    return () -> release(digest);
  }

  /** The root file systems that came with snapshots. */
  List<String> importedDigests() {
    return imported.digests();
  }

  /**
   * Takes those of them out of sight that nobody uses or is about to use.
   *
   * @param used is asked while nothing can be held
   * @return what is to be deleted
   */
  List<Path> takeOutUnused(Supplier<Set<String>> used) {
    List<Path> gone = new ArrayList<>();
    synchronized (held) {
      Set<String> needed = used.get();
      for (String digest : imported.digests()) {
        if (!held.containsKey(digest) && !needed.contains(digest)) {
          gone.add(imported.takeOut(digest));
          maker.forget(digest);
        }
      }
    }
    return gone;
  }

  /**
   * The first state of a root file system that came with a snapshot, booted here; empty for one
   * that did not.
   */
  Optional<Checkpoint> boot(String project, String digest, Driver driver) {
    return ImportedRoots.isImported(digest)
        ? Optional.of(
            maker.make(project, ImportedRoots.plan(digest), driver, event -> {}).checkpoint())
        : Optional.empty();
  }

  /** Removes what builds that were cut off have left. */
  List<String> sweep() throws IOException {
    return builder.sweep();
  }
}
