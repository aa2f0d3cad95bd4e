package dev.atoll.engine;

import java.nio.file.Path;

/** Where the engine keeps its things. */
public record EngineConfig(Path dataDirectory, Path templateDirectory) {
  public static EngineConfig defaults(Path dataDirectory, Path templateDirectory) { return new EngineConfig(dataDirectory, templateDirectory); }
}
