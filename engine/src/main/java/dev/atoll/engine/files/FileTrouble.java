package dev.atoll.engine.files;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.util.Map;

/** What a caller is told when the programs of a guest do not do what was asked of them. */
public final class FileTrouble {
  private static final int MAX_MESSAGE = 500;

  private FileTrouble() {}

  /** The exception behind a stream's, or one that says what could not be done. */
  public static AtollException of(String what, IOException e) {
    if (e.getCause() instanceof AtollException known) {
      return known;
    }
    String said = String.valueOf(e.getMessage());
    boolean full = isFull(e);
    return new AtollException(
        full ? ErrorCode.DISK_LIMIT : ErrorCode.CONFLICT,
        what + ": " + said.substring(0, Math.min(said.length(), MAX_MESSAGE)),
        full
            ? "create the sandbox with a larger diskMiB"
            : "this uses find, sort and tar of the sandbox itself; check that they work there",
        Map.of(),
        e);
  }

  /** The system's own words are all that tells a full disk from another failure of writing. */
  public static boolean isFull(IOException e) {
    String said = String.valueOf(e.getMessage());
    return said.contains("No space left") || said.contains("quota exceeded");
  }
}
