package dev.atoll.engine.files;

import dev.atoll.model.FileKind;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.regex.Pattern;

/**
 * A file as a walk found it. Names are bytes, and need not be text: here each character stands for
 * one byte.
 *
 * @param path absolute
 * @param type as {@code find} has it: f, d, l, p, s, b, c
 * @param mode permission bits
 * @param modified nanoseconds since 1970
 * @param changed nanoseconds since 1970, of the file's content or attributes
 * @param device of the layer that holds it
 * @param links how many names it has
 * @param target of a symbolic link, otherwise empty
 */
public record WalkEntry(
    String path,
    char type,
    int mode,
    long uid,
    long gid,
    long size,
    long modified,
    long changed,
    String device,
    long links,
    String target) {
  /** The order of a walk, that of the bytes of path and separator. */
  public static final Comparator<WalkEntry> ORDER = Comparator.comparing(WalkEntry::key);

  private static final String SEPARATOR = "//";
  private static final Pattern SPACE = Pattern.compile(" ");
  private static final long NANOS = 1_000_000_000;
  private static final int FIELDS = 9;

  /**
   * Reads a record {@code path//type mode uid gid size modified changed device links//target}. A
   * path has no double slash in it.
   *
   * @throws IllegalArgumentException for anything else
   */
  static WalkEntry parse(String entry) {
    int end = entry.indexOf(SEPARATOR, 1);
    int second = end < 0 ? -1 : entry.indexOf(SEPARATOR, end + 2);
    if (second < 0 || entry.charAt(0) != '/') {
      throw new IllegalArgumentException("a record without its separators");
    }
    String[] fields = SPACE.split(entry.substring(end + 2, second), -1);
    if (fields.length != FIELDS || fields[0].length() != 1) {
      throw new IllegalArgumentException("a record of " + fields.length + " fields");
    }
    return new WalkEntry(
        entry.substring(0, end),
        fields[0].charAt(0),
        Integer.parseInt(fields[1], 8) & 07777,
        Long.parseLong(fields[2]),
        Long.parseLong(fields[3]),
        Math.max(0, Long.parseLong(fields[4])),
        nanos(fields[5]),
        nanos(fields[6]),
        fields[7],
        Long.parseLong(fields[8]),
        entry.substring(second + 2));
  }

  private static long nanos(String time) {
    int point = time.indexOf('.');
    if (point < 0) {
      return Math.multiplyExact(Long.parseLong(time), NANOS);
    }
    String fraction = (time.substring(point + 1) + "000000000").substring(0, 9);
    try {
      long seconds = Long.parseLong(time.substring(0, point));
      return Math.addExact(Math.multiplyExact(seconds, NANOS), Long.parseLong(fraction));
    } catch (ArithmeticException e) {
      // A time that no clock shows; one is as good as another.
      return Long.MAX_VALUE;
    }
  }

  private String key() {
    return path + SEPARATOR;
  }

  /** The path as text: what is no UTF-8, and what would break a line, is replaced. */
  public String display() {
    String text = new String(bytes(), StandardCharsets.UTF_8);
    return text.replaceAll("\\p{Cntrl}", "\ufffd");
  }

  /** The path as the guest has it. */
  public byte[] bytes() {
    return path.getBytes(StandardCharsets.ISO_8859_1);
  }

  public FileKind kind() {
    return switch (type) {
      case 'f' -> FileKind.FILE;
      case 'd' -> FileKind.DIRECTORY;
      case 'l' -> FileKind.SYMLINK;
      default -> FileKind.OTHER;
    };
  }

  public boolean isFile() {
    return type == 'f';
  }

  /** Whether type, permissions, owner, and target or size are the same. */
  public boolean looksLike(WalkEntry other) {
    return type == other.type
        && mode == other.mode
        && uid == other.uid
        && gid == other.gid
        && target.equals(other.target)
        && (!isFile() || size == other.size);
  }
}
