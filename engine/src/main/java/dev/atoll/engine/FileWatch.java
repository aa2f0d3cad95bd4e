package dev.atoll.engine;

import dev.atoll.model.FileEvent;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A watch over a path; it stands when it is returned and ends with {@link #close}. */
public interface FileWatch extends AutoCloseable {

  /** The next change, or null when none came in time. */
  @Nullable FileEvent next(Duration wait);

  @Override
  void close();
}
