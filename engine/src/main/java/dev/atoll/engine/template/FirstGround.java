package dev.atoll.engine.template;

import dev.atoll.engine.jail.Jailer;
import dev.atoll.model.BuildEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Makes the Debian that a template stands on while there is no server yet: it needs no driver, and
 * on a new host the time until there is one can be used. A server takes what it finds there for its
 * own, since that is complete or has another name; what was cut off it sweeps.
 *
 * @param folder of the templates
 */
public record FirstGround(Path folder, Jailer jailer) {
  private static final String NOBODY = "";

  /** Makes it unless it is there. */
  public void make(Recipe recipe, Consumer<String> progress) {
    if (recipe.base().debian() == null) {
      return;
    }
    Path ground = folder.resolve(BuildPlan.of(recipe, null).ground().folder());
    if (Files.isDirectory(ground)) {
      return;
    }
    try {
      Files.createDirectories(folder);
      Path aside = Files.createTempDirectory(folder, ".building-");
      try {
        BuildScope scope = new BuildScope(NOBODY, event -> tell(event, progress));
        new DebianBase(jailer).make(recipe, ground, aside, scope);
      } finally {
        Bench.delete(aside);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void tell(BuildEvent event, Consumer<String> progress) {
    if (event instanceof BuildEvent.BuildStep step) {
      progress.accept(step.message());
    }
  }
}
