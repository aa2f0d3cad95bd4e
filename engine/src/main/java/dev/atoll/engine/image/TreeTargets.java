package dev.atoll.engine.image;

import java.io.IOException;
import java.nio.file.Path;

/** Opens an empty directory for the entries of a tree. */
@FunctionalInterface
interface TreeTargets {
  TreeTarget open(Path root) throws IOException;
}
