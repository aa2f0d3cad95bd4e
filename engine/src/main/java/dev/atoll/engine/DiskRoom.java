package dev.atoll.engine;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells a failure for want of room on the server's disk from others. Programs that write there say
 * so in words, or end without any: then the room that is left tells.
 */
record DiskRoom(Path folder) {
  private static final long NONE = 1L << 20;
  private static final int MOST_CAUSES = 10;

  /** Does it, and says {@code storage_full} if it failed for that. */
  <T> T telling(Supplier<T> work) {
    try {
      return work.get();
    } catch (RuntimeException e) {
      throw isFor(e) ? full(e) : e;
    }
  }

  private boolean isFor(RuntimeException e) {
    boolean told = e instanceof AtollException known && known.code() == ErrorCode.STORAGE_FULL;
    boolean refused =
        e instanceof AtollException known
            && known.code().httpStatus() < 500
            && !saysSo(known.getMessage());
    return !told && !refused && (isSaidBy(e) || isEmpty());
  }

  private static boolean isSaidBy(Throwable failure) {
    Throwable at = failure;
    for (int i = 0; i < MOST_CAUSES && at != null; i++) {
      if (saysSo(at.getMessage())) {
        return true;
      }
      at = at.getCause();
    }
    return false;
  }

  private static boolean saysSo(@Nullable String message) {
    return message != null && message.toLowerCase(Locale.ROOT).contains("no space left on device");
  }

  private boolean isEmpty() {
    try {
      return Files.getFileStore(folder).getUsableSpace() < NONE;
    } catch (IOException e) {
      return false;
    }
  }

  private static AtollException full(RuntimeException cause) {
    return new AtollException(
        ErrorCode.STORAGE_FULL,
        "the disk of the server is full; nothing of it was kept",
        "end sandboxes, or delete snapshots or templates; what there is goes on",
        Map.of(),
        cause);
  }
}
