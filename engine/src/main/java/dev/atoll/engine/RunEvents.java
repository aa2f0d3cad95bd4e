package dev.atoll.engine;

import dev.atoll.model.RunEvent;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A reader's view of a run. Not for use by several threads at once. */
public interface RunEvents extends AutoCloseable {

  /** The next event, or null when none came in time or {@link #ended}. */
  @Nullable RunEvent next(Duration wait);

  /** Whether End was given. */
  boolean ended();

  @Override
  void close();
}
