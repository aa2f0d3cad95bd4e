package dev.atoll.engine;

import dev.atoll.driver.Checkpoint;
import dev.atoll.driver.Driver;
import dev.atoll.engine.template.ImportedRoots;
import dev.atoll.engine.template.ProgramRecipe;
import dev.atoll.engine.template.Recipe;
import dev.atoll.engine.template.TemplateBuilder;
import dev.atoll.engine.template.TemplateBuilder.Template;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.TemplateInfo;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The templates that sandboxes are made from; each is built when it is first needed. */
public final class Templates {
  private static final Logger LOG = LoggerFactory.getLogger(Templates.class);

  private final Path recipes;
  private final TemplateBuilder builder;
  private final DriverChoice drivers;
  private final ImportedRoots imported;
  private final Map<String, Build> builds = new ConcurrentHashMap<>();
  private final Map<String, Known> known = new ConcurrentHashMap<>();

  /** A recipe and its digest for as long as the file does not change. */
  private record Known(Recipe recipe, String digest, FileTime modified, long size) {}

  /** A build under way or done, with those who want to know how it goes. */
  private static final class Build {
    final CompletableFuture<Template> template = new CompletableFuture<>();
    final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();
    volatile @Nullable String latest;

    void progress(String message) {
      latest = message;
      listeners.forEach(listener -> listener.accept(message));
    }
  }

  Templates(Path recipes, TemplateBuilder builder, ImportedRoots imported, DriverChoice drivers) {
    this.imported = imported;
    this.recipes = recipes;
    this.builder = builder;
    this.drivers = drivers;
  }

  public List<TemplateInfo> list() {
    return names().stream().map(this::get).toList();
  }

  /** The templates by name, sorted. */
  public List<String> names() {
    try (Stream<Path> files = Files.list(recipes)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".yaml"))
          .sorted()
          .map(name -> name.substring(0, name.length() - ".yaml".length()))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public TemplateInfo get(String name) {
    String digest = recipe(name).digest();
    Build build = builds.get(digest);
    if (build != null && build.template.isCompletedExceptionally()) {
      return new TemplateInfo(name, digest, "failed", build.latest);
    }
    if (build != null && !build.template.isDone()) {
      return new TemplateInfo(name, digest, "building", build.latest);
    }
    boolean built = drivers.first().map(driver -> builder.isBuilt(digest, driver)).orElse(false);
    return new TemplateInfo(name, digest, built ? "ready" : "absent", null);
  }

  /** Builds a template unless it is there; joins a build under way. Returns when it is ready. */
  public TemplateInfo build(String name, Consumer<String> progress) {
    ready(name, drivers.best(), progress);
    return get(name);
  }

  /** The template, built if need be. */
  Template ready(String name, Driver driver, Consumer<String> progress) {
    Known current = recipe(name);
    Recipe recipe = current.recipe();
    String digest = current.digest();
    List<Build> started = new ArrayList<>(1);
    Build build =
        builds.compute(
            digest,
            (key, existing) -> {
              if (existing != null && !existing.template.isCompletedExceptionally()) {
                return existing;
              }
              Build fresh = new Build();
              started.add(fresh);
              return fresh;
            });
    build.listeners.add(progress);
    for (Build fresh : started) {
      // On a thread of its own: whoever asked for it may go away, and others may be waiting.
      Thread.ofVirtual().name("template-" + name).start(() -> run(fresh, recipe, driver));
    }
    try {
      return build.template.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof AtollException known) {
        throw known;
      }
      throw new AtollException(
          ErrorCode.TEMPLATE_BUILD_FAILED,
          "template " + name + " could not be built: " + e.getCause(),
          null,
          Map.of(),
          e);
    } finally {
      build.listeners.remove(progress);
    }
  }

  /** The variables that a template gives its sandboxes; none when its recipe is gone. */
  Map<String, String> env(String name) {
    try {
      return recipe(name).recipe().env();
    } catch (AtollException e) {
      return Map.of();
    }
  }

  /** How programs of each language are made and run in a template. */
  public Map<String, ProgramRecipe> languages(String name) {
    return recipe(name).recipe().languages();
  }

  /** Where the root file system of a digest is, if it is anywhere. */
  Path rootfs(String digest) {
    return builder.rootfs(digest);
  }

  /** The first state of a template that was built, perhaps from a recipe that has changed since. */
  Optional<Checkpoint> checkpoint(String digest, Driver driver) {
    return builder.checkpoint(digest, driver);
  }

  /** The digest that a template has now. */
  String digest(String name) {
    return recipe(name).digest();
  }

  /** A folder for a root file system in the making. */
  Path aside() {
    return imported.aside();
  }

  /** The digest of a root file system with that content, if there is one here. */
  Optional<String> withFingerprint(String fingerprint) {
    return imported.withFingerprint(fingerprint);
  }

  /** Takes in a root file system that came with a snapshot; its digest. */
  String install(String fingerprint, Path rootfs) throws IOException {
    return imported.install(fingerprint, rootfs);
  }

  /** Removes what builds that were cut off have left. */
  List<String> sweep() throws IOException {
    return builder.sweep();
  }

  private void run(Build build, Recipe recipe, Driver driver) {
    try {
      build.template.complete(builder.build(recipe, driver, build::progress));
    } catch (RuntimeException e) {
      LOG.warn("template {}: {}", recipe.name(), e.getMessage());
      build.latest = e.getMessage();
      build.template.completeExceptionally(e);
    }
  }

  private Known recipe(String name) {
    Path file = recipes.resolve(name + ".yaml");
    if (!name.matches("[a-z0-9][a-z0-9-]{0,62}") || !Files.isRegularFile(file)) {
      throw new AtollException(
          ErrorCode.TEMPLATE_NOT_FOUND,
          "there is no template " + name,
          "list them with `atoll template ls`, or leave the template out for python");
    }
    try {
      FileTime modified = Files.getLastModifiedTime(file);
      long size = Files.size(file);
      Known cached = known.get(name);
      if (cached != null && cached.modified().equals(modified) && cached.size() == size) {
        return cached;
      }
      Recipe recipe = Recipe.read(file);
      Known fresh = new Known(recipe, builder.digest(recipe), modified, size);
      known.put(name, fresh);
      return fresh;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
