package dev.atoll.engine;

import dev.atoll.engine.template.BuildPlan;
import dev.atoll.engine.template.Recipe;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.TemplateReference;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The templates that come with the server: recipes in a folder, open to all projects. */
final class BuiltIns {
  private static final int DEEPEST = 16;

  private final Path folder;
  private final Map<String, Known> known = new ConcurrentHashMap<>();

  /** A recipe and its plan for as long as the file, and what it is built on, do not change. */
  private record Known(BuildPlan plan, @Nullable String below, FileTime modified, long size) {}

  BuiltIns(Path folder) {
    this.folder = folder;
  }

  List<String> names() {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".yaml"))
          .map(name -> name.substring(0, name.length() - ".yaml".length()))
          .filter(name -> name.matches(TemplateReference.NAME))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean has(String name) {
    return name.matches(TemplateReference.NAME) && Files.isRegularFile(file(name));
  }

  /** How to build it; empty when there is none of that name. */
  Optional<BuildPlan> plan(String name) {
    return plan(name, 0);
  }

  private Optional<BuildPlan> plan(String name, int depth) {
    if (!has(name)) {
      return Optional.empty();
    }
    if (depth > DEEPEST) {
      throw new AtollException(
          ErrorCode.TEMPLATE_BUILD_FAILED,
          "template " + name + " is built on itself, or on too many others",
          "change base: of its recipe");
    }
    Path file = file(name);
    try {
      FileTime modified = Files.getLastModifiedTime(file);
      long size = Files.size(file);
      Known cached = known.get(name);
      boolean same = cached != null && cached.modified().equals(modified) && cached.size() == size;
      Recipe recipe = same && cached != null ? cached.plan().recipe() : Recipe.read(file);
      BuildPlan below = below(recipe, depth);
      String digest = below == null ? null : below.digest();
      if (same && cached != null && Objects.equals(cached.below(), digest)) {
        return Optional.of(cached.plan());
      }
      // What was kept has taken over from below already.
      BuildPlan plan = BuildPlan.of(same ? Recipe.read(file) : recipe, below);
      known.put(name, new Known(plan, digest, modified, size));
      return Optional.of(plan);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private @Nullable BuildPlan below(Recipe recipe, int depth) {
    String base = recipe.base().template();
    if (base == null) {
      return null;
    }
    TemplateReference reference = TemplateReference.parse(base);
    return plan(reference.name(), depth + 1)
        .filter(plan -> reference.owner() == null && reference.tag() == null)
        .orElseThrow(
            () ->
                new AtollException(
                    ErrorCode.TEMPLATE_NOT_FOUND,
                    recipe.name()
                        + " is built on "
                        + base
                        + ", which does not come with the server",
                    "build it on one that does"));
  }

  private Path file(String name) {
    return folder.resolve(name + ".yaml");
  }
}
