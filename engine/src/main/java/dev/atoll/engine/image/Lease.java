package dev.atoll.engine.image;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The right to read the files of an image. Until it is closed they stay as they are, even if the
 * image is deleted meanwhile; whoever closes it last then removes them.
 */
public final class Lease implements AutoCloseable {
  private final Path directory;
  private final Runnable end;
  private final AtomicBoolean closed = new AtomicBoolean();

  Lease(Path directory, Runnable end) {
    this.directory = directory;
    this.end = end;
  }

  /** The checkpoint as the driver wrote it; to be read, never written. */
  public Path directory() {
    return directory;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      end.run();
    }
  }
}
