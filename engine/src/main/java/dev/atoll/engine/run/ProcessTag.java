package dev.atoll.engine.run;

import dev.atoll.model.AtollException;
import dev.atoll.model.Installer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the host must remember of a process. It travels in the process's tag and comes back from the
 * agent, so that a restarted server knows every process without having stored any.
 *
 * @param background whether it was started to be left running, and is kept until it is forgotten
 * @param deadlineMillis when its time is up, 0 for never
 * @param installer the package manager that it runs for its owner; null for a program like any
 *     other
 * @param reconnect for how long it goes on without whoever started it to follow it; null: for ever
 * @param command as much of the command line as fits
 */
record ProcessTag(
    String runId,
    boolean background,
    boolean pty,
    Instant startedAt,
    long deadlineMillis,
    long maxOutput,
    @Nullable String name,
    @Nullable Installer installer,
    @Nullable Duration reconnect,
    List<String> command) {
  private static final int MAX_BYTES = 256;
  private static final String SEPARATOR = "\u001f";
  private static final int FIELDS = 7;
  private static final String ID = "[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}";
  private static final String INSTALLS = "i-";

  /** The year 10000 or so: times that can be counted with. */
  private static final long LATEST = 1L << 48;

  /** More than a client can ask for, and no more than can be counted with. */
  private static final long MOST_MILLIS = (1L << 32) - 1;

  ProcessTag {
    command = List.copyOf(command);
  }

  /** The same for a process that goes on without anybody. */
  ProcessTag untied() {
    return new ProcessTag(
        runId,
        background,
        pty,
        startedAt,
        deadlineMillis,
        maxOutput,
        name,
        installer,
        null,
        command);
  }

  private String kind() {
    if (installer != null) {
      return INSTALLS + installer.wire();
    }
    String followed = reconnect == null ? "" : Long.toString(reconnect.toMillis());
    return (background ? "b" : "c") + followed;
  }

  String encode() {
    String text =
        String.join(
            SEPARATOR,
            runId,
            kind(),
            pty ? "t" : "p",
            Long.toString(startedAt.toEpochMilli()),
            Long.toString(deadlineMillis),
            Long.toString(maxOutput),
            name == null ? "" : name,
            String.join(SEPARATOR, command));
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= MAX_BYTES) {
      return text;
    }
    int end = MAX_BYTES;
    while ((bytes[end] & 0xc0) == 0x80) {
      end--;
    }
    return new String(bytes, 0, end, StandardCharsets.UTF_8);
  }

  private static @Nullable Duration reconnect(String kind) {
    boolean followed = !kind.startsWith(INSTALLS) && kind.length() > 1;
    return followed ? Duration.ofMillis(Long.parseLong(kind.substring(1)) & MOST_MILLIS) : null;
  }

  /** Reads a tag back; null when it is none of ours. */
  static @Nullable ProcessTag decode(String text) {
    String[] parts = text.split(SEPARATOR, -1);
    if (parts.length < FIELDS + 1 || !parts[0].matches(ID)) {
      return null;
    }
    try {
      long started = Long.parseLong(parts[3]);
      long deadline = Long.parseLong(parts[4]);
      if (started < 0 || started > LATEST || deadline < 0 || deadline > LATEST) {
        return null;
      }
      return new ProcessTag(
          parts[0],
          parts[1].startsWith("b"),
          parts[2].equals("t"),
          Instant.ofEpochMilli(started),
          deadline,
          Long.parseLong(parts[5]),
          parts[6].isEmpty() ? null : parts[6],
          parts[1].startsWith(INSTALLS)
              ? Installer.of(parts[1].substring(INSTALLS.length()))
              : null,
          reconnect(parts[1]),
          Arrays.asList(parts).subList(FIELDS, parts.length));
    } catch (NumberFormatException | AtollException e) {
      return null;
    }
  }
}
