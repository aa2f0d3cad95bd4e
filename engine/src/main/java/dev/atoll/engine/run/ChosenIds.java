package dev.atoll.engine.run;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ids that callers chose for code, for the server that comes next. Processes carry theirs in
 * the guest; an execution has a number alone, so the id that it stands for is in a file of the
 * machine's directory, where the guest cannot see it. It is written before the code is sent: what
 * runs under an id is found under it. Thread-safe.
 */
final class ChosenIds {
  private static final Logger LOG = LoggerFactory.getLogger(ChosenIds.class);
  private static final String ID = "[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}";

  /** No server keeps more runs of one sandbox. */
  private static final int KEPT = 512;

  private static final int MOST_LINES = 2 * KEPT;

  private final Path file;
  private int lines = -1;
  private @Nullable Map<String, String> earlier;

  /**
   * @param machine the machine's own directory
   */
  ChosenIds(Path machine) {
    this.file = machine.resolve("run-ids");
  }

  private static String key(int channel, Execution execution) {
    return channel + " " + execution.number();
  }

  /**
   * Notes what an execution is called.
   *
   * @throws AtollException {@link ErrorCode#STORAGE_FULL} when that cannot be written; whoever
   *     chooses an id counts on it
   */
  synchronized void note(int channel, Execution execution, String id) {
    try {
      if (lines < 0 || lines >= MOST_LINES) {
        shorten();
      }
      Files.writeString(
          file,
          // Whatever a full disk has left of the line before ends here.
          "\n" + key(channel, execution) + " " + id + "\n",
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
      lines++;
    } catch (IOException e) {
      throw new AtollException(
          ErrorCode.STORAGE_FULL,
          "the id of the run cannot be written down: " + e.getMessage(),
          "nothing was run; free space on the server, or leave the id away",
          Map.of(),
          e);
    }
  }

  /** Leaves the newest lines; the file is replaced as a whole. */
  private void shorten() throws IOException {
    List<String> all = read();
    lines = Math.min(all.size(), KEPT);
    if (all.size() > KEPT) {
      Path aside = file.resolveSibling(".run-ids.new");
      Files.write(aside, all.subList(all.size() - KEPT, all.size()));
      Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  private List<String> read() throws IOException {
    if (!Files.exists(file)) {
      return List.of();
    }
    try (Stream<String> all = Files.lines(file, StandardCharsets.UTF_8)) {
      return all.filter(line -> !line.isEmpty()).toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** What an execution of an earlier server is called; null if nobody chose an id for it. */
  synchronized @Nullable String find(int channel, Execution execution) {
    if (earlier == null) {
      earlier = load();
    }
    return earlier.get(key(channel, execution));
  }

  private Map<String, String> load() {
    Map<String, String> byId = new HashMap<>();
    try {
      for (String line : read()) {
        int space = line.lastIndexOf(' ');
        if (space > 0 && line.substring(space + 1).matches(ID)) {
          // An id that was free again is the newer one's.
          byId.put(line.substring(space + 1), line.substring(0, space));
        }
      }
    } catch (IOException e) {
      LOG.warn("ids of runs are not known any more: {}", e.toString());
    }
    Map<String, String> found = new HashMap<>();
    byId.forEach((id, key) -> found.put(key, id));
    return found;
  }

  /** Nobody asks for executions of earlier servers any more. */
  synchronized void forgetEarlier() {
    earlier = null;
  }
}
