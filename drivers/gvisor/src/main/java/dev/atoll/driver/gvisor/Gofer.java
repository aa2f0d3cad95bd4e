package dev.atoll.driver.gvisor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The process that serves a machine its root file system. gVisor does not notice its end: whoever
 * needs a file then waits, or is told nonsense. Of the watch alone.
 */
final class Gofer {
  private static final String NAME = "runsc-gofer";

  /** Of the fields behind the name in {@code /proc/PID/stat}. */
  private static final int STATE = 0;

  private static final int BEGUN = 19;

  private final Cgroup group;
  private long pid;
  private @Nullable String begun;
  private int missed;

  Gofer(Cgroup group) {
    this.group = group;
  }

  /**
   * Whether it is not there, also a look later: at the end of a machine it goes a moment before the
   * end is known. A machine under watch has had one, even if it went before the first look.
   */
  boolean isGone() {
    if (begun == null) {
      find();
    }
    missed = begun != null && begun.equals(begun(pid)) ? 0 : missed + 1;
    return missed > 1;
  }

  private void find() {
    for (long member : group.members()) {
      if (isGofer(member)) {
        pid = member;
        begun = begun(member);
        return;
      }
    }
  }

  private static boolean isGofer(long pid) {
    try {
      return Files.readString(file(pid, "cmdline"), StandardCharsets.ISO_8859_1).startsWith(NAME);
    } catch (IOException e) {
      return false; // ended meanwhile
    }
  }

  /** When a living process began, which tells it from another one of the same number. */
  private static @Nullable String begun(long pid) {
    try {
      String stat = Files.readString(file(pid, "stat"), StandardCharsets.ISO_8859_1);
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      return fields[STATE].equals("Z") || fields[STATE].equals("X") ? null : fields[BEGUN];
    } catch (IOException e) {
      return null;
    }
  }

  private static Path file(long pid, String name) {
    return Path.of("/proc", Long.toString(pid), name);
  }
}
