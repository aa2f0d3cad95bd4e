package dev.atoll.engine.template;

import dev.atoll.driver.Checkpoint;
import dev.atoll.driver.Driver;
import dev.atoll.driver.MachineLimits;
import dev.atoll.engine.tree.LinkedCopy;
import dev.atoll.model.AtollException;
import dev.atoll.model.DriverReport;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Builds templates below a folder:
 *
 * <pre>
 * base-DIGEST/                 Debian with its packages; shared by all templates with the same ones
 * archive-DIGEST/              a package of npm's registry or Maven's repository, unpacked; shared likewise
 * layer-DIGEST/                what a setup command has changed; shared likewise
 * DIGEST/rootfs/               hard links to what it stands on, the layers, and Atoll's own files
 * DIGEST/template.json         its plan
 * DIGEST/checkpoint-DRIVER-V/  a machine of it, booted and waiting for Thaw
 * </pre>
 *
 * Each appears under its name only when it is complete.
 */
public final class TemplateBuilder {
  private static final MachineLimits BOOT_LIMITS = new MachineLimits(2, 1L << 30, 1L << 30, 512);

  /** Layers of builds that failed are of use for the next try. */
  private static final Duration KEEP_LAYERS = Duration.ofDays(7);

  private final Path folder;
  private final Workshop workshop;
  private final Grounds grounds;
  private final Layers layers;
  private final BuiltTemplates built;

  public TemplateBuilder(Path folder, Workshop workshop, Grounds grounds) {
    this.folder = folder;
    this.grounds = grounds;
    this.workshop = workshop;
    this.layers = new Layers(folder, workshop, grounds.unpacker());
    this.built = new BuiltTemplates(folder);
  }

  /** A template ready to start sandboxes from. */
  public record Template(Recipe recipe, String digest, Path rootfs, Checkpoint checkpoint) {}

  /** What templates stand on. */
  public Grounds grounds() {
    return grounds;
  }

  /** What is on disk. */
  public BuiltTemplates built() {
    return built;
  }

  /** Whether nothing is left to do for this template and driver. */
  public boolean isBuilt(String digest, Driver driver) {
    return Files.isDirectory(checkpointDirectory(digest, driver));
  }

  /**
   * Builds what is missing; what it is built on must be there. Two builds of the same template at
   * once must be kept apart by the caller.
   */
  public Template build(BuildPlan plan, Driver driver, BuildScope scope) {
    Path rootfs = built.rootfs(plan.digest());
    Path checkpoint = checkpointDirectory(plan.digest(), driver);
    try {
      if (!Files.isDirectory(rootfs)) {
        assemble(plan, driver, scope);
      }
      if (!Files.isDirectory(checkpoint)) {
        scope.progress("booting " + plan.recipe().name() + " once and taking its checkpoint");
        checkpoint(plan.recipe(), rootfs, driver, checkpoint, scope);
        CheckpointDigests.write(checkpoint);
      }
    } catch (IOException | java.io.UncheckedIOException e) {
      throw failed(plan.recipe(), e);
    } catch (RuntimeException e) {
      // A cancelled build breaks off wherever it was; that is not what is wrong with it.
      scope.check();
      // What the driver says of the host's disk is about this build.
      throw e instanceof AtollException known && known.code() == ErrorCode.INTERNAL
          ? failed(plan.recipe(), known)
          : e;
    }
    return new Template(plan.recipe(), plan.digest(), rootfs, new Checkpoint(checkpoint, rootfs));
  }

  private static AtollException failed(Recipe recipe, Exception e) {
    return new AtollException(
        ErrorCode.TEMPLATE_BUILD_FAILED,
        "template " + recipe.name() + ": " + e.getMessage(),
        "check that the data directory is writable and has room",
        Map.of(),
        e);
  }

  /** The first state of a template that has been built. */
  public Optional<Checkpoint> checkpoint(String digest, Driver driver) {
    Path directory = checkpointDirectory(digest, driver);
    return Files.isDirectory(directory)
        ? Optional.of(new Checkpoint(directory, built.rootfs(digest)))
        : Optional.empty();
  }

  /** What is wrong with the files of a template that was built; empty when nothing is. */
  public Optional<String> damage(String digest, Driver driver) {
    return Files.isDirectory(built.rootfs(digest))
        ? CheckpointDigests.damage(checkpointDirectory(digest, driver))
        : Optional.of("its root file system is gone");
  }

  /** Whether the first state of a template was made after that moment. */
  public boolean isNewer(String digest, Driver driver, Instant moment) {
    try {
      return Files.getLastModifiedTime(checkpointDirectory(digest, driver))
          .toInstant()
          .isAfter(moment);
    } catch (IOException e) {
      return true; // it is being made
    }
  }

  /** Takes damaged files away, so that the next build makes them anew from what it stands on. */
  public void removeDamaged(String digest, Driver driver) {
    Path home = folder.resolve(digest);
    Path gone =
        Files.isDirectory(built.rootfs(digest)) ? checkpointDirectory(digest, driver) : home;
    try {
      if (Files.exists(gone)) {
        // First out of sight, so that half of it is never found.
        Path aside = aside();
        Files.move(gone, aside.resolve("damaged"));
        Bench.delete(aside);
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private Path checkpointDirectory(String digest, Driver driver) {
    DriverReport report = driver.probe();
    String version = report.version().replaceAll("[^a-zA-Z0-9.]", "-");
    return folder.resolve(digest).resolve("checkpoint-" + driver.name() + "-" + version);
  }

  private void assemble(BuildPlan plan, Driver driver, BuildScope scope) throws IOException {
    Recipe recipe = plan.recipe();
    Path aside = aside();
    try {
      Path ground = folder.resolve(plan.ground().folder());
      if (!Files.isDirectory(ground)) {
        grounds.make(plan, ground, aside, scope);
      }
      scope.progress("adding the agent and the kernels");
      Path home = Files.createDirectory(aside.resolve("home"));
      Path root = home.resolve("rootfs");
      LinkedCopy.make(ground.toRealPath(), root);
      scope.check();
      RootFileSystem files = new RootFileSystem(root);
      Archives archives = new Archives(folder, grounds.unpacker());
      for (RecipeArchive archive : recipe.archives()) {
        archives.add(archive, files, aside, scope::progress);
      }
      if (plan.steps().isEmpty()) {
        files.prepare(recipe);
      } else {
        files.prepareForSetup(recipe);
        setUp(plan, root, aside, driver, scope);
      }
      files.finish(recipe);
      BuiltTemplates.note(plan, home);
      scope.check();
      Bench.install(home, folder.resolve(plan.digest()));
    } finally {
      Bench.delete(aside);
    }
  }

  private void setUp(BuildPlan plan, Path root, Path aside, Driver driver, BuildScope scope)
      throws IOException {
    Instant deadline = Instant.now().plus(workshop.settings().timeout());
    int number = 0;
    for (BuildPlan.Step step : plan.steps()) {
      scope.check();
      boolean cached = layers.has(step);
      scope.progress(
          "step %d of %d%s: %s"
              .formatted(++number, plan.steps().size(), cached ? " (kept)" : "", step.title()));
      if (!cached) {
        layers.make(plan.recipe(), step, root, aside, driver, deadline, scope);
      }
      layers.apply(step, root, scope);
    }
  }

  private void checkpoint(Recipe recipe, Path rootfs, Driver driver, Path target, BuildScope scope)
      throws IOException {
    try (Bench bench = workshop.open(driver, rootfs, BOOT_LIMITS, scope)) {
      bench.hello(recipe);
      Ready ready = recipe.ready();
      if (ready != null) {
        scope.progress("waiting until it is ready: " + ready.command());
        bench.begin(recipe.env());
        bench.await(ready);
      }
      bench.checkpoint(target);
    }
  }

  private Path aside() throws IOException {
    Files.createDirectories(folder);
    return Files.createTempDirectory(folder, ".building-");
  }

  /** Removes what builds that were cut off have left. */
  public List<String> sweep() throws IOException {
    List<String> removed = new ArrayList<>();
    if (!Files.isDirectory(folder)) {
      return removed;
    }
    try (Stream<Path> entries = Files.list(folder)) {
      for (Path entry :
          entries.filter(p -> p.getFileName().toString().startsWith(".building-")).toList()) {
        Bench.delete(entry);
        removed.add("unfinished template build " + entry.getFileName());
      }
    }
    built
        .sweep(Instant.now().minus(KEEP_LAYERS))
        .forEach(layer -> removed.add(layer + ", which no template has"));
    return removed;
  }
}
