package dev.atoll.server;

import dev.atoll.engine.jail.Jailer;
import dev.atoll.engine.template.FirstGround;
import dev.atoll.engine.template.Recipe;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** Makes what a bundled template stands on, while no server runs; see {@link FirstGround}. */
final class GroundCommand {
  private final String template;
  private final PrintStream say;

  GroundCommand(String template, PrintStream say) {
    this.template = template;
    this.say = say;
  }

  void into(ServerConfig.StorageConfig storage) {
    FileModeMask.shutOutOthers();
    Path data = storage.dataDirectory();
    Recipe recipe = Recipe.read(storage.templatesDirectory().resolve(template + ".yaml"));
    try {
      PrivateFiles.makeDirectory(data);
      DataDirectoryLock lock = DataDirectoryLock.acquire(data);
      try {
        new FirstGround(data.resolve("templates"), Jailer.install(data.resolve("bin")))
            .make(recipe, say::println);
      } finally {
        lock.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make the ground of " + template + ": " + e, e);
    }
  }
}
