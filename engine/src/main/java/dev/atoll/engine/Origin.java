package dev.atoll.engine;

import dev.atoll.model.SnapshotInfo;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A state that sandboxes can be made from: that of a template, or a snapshot. Open while machines
 * are started from it.
 *
 * @param templateEnv variables that the template gives
 * @param snapshot null for a template
 * @param tree the family that sandboxes made from it belong to; null for one of their own
 * @param release lets go of what is held for it
 * @param files what to unpack into a machine that was started, for a snapshot of files
 */
record Origin(
    String template,
    String digest,
    Map<String, String> templateEnv,
    Machines.Start start,
    @Nullable SnapshotInfo snapshot,
    @Nullable String tree,
    @Nullable Path files,
    Runnable release)
    implements AutoCloseable {

  @Override
  public void close() {
    release.run();
  }
}
