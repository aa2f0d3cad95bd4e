package dev.atoll.engine.files;

import dev.atoll.engine.file.GuestProgram;
import dev.atoll.engine.guest.Guest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * All files of a root file system in the order of {@link WalkEntry#ORDER}. Neither what the kernel
 * makes up (/proc, /sys, /dev) nor Atoll's own files are among them.
 *
 * <p>The guest itself sorts, so that two walks can be compared side by side in flat memory. A guest
 * may say anything: records that make no sense and a wrong order end the walk.
 */
public final class Walk implements AutoCloseable {
  /** How long a walk may take. */
  public static final Duration LIMIT = Duration.ofMinutes(3);

  private static final String KEPT = "/tmp/.atoll-keep";
  private static final Pattern UPLOAD = Pattern.compile(".*/\\.atoll-[0-9a-f]{16}");

  private final NulRecords records;
  private final AutoCloseable source;
  private @Nullable WalkEntry last;
  private String base = "";
  private long uid = -1;
  private boolean complete;

  private Walk(NulRecords records, AutoCloseable source) {
    this.records = records;
    this.source = source;
  }

  /**
   * Lists what is below a folder, by find and sort as GNU has them. A first record has the device
   * of the lowest layer and the user, a last one how the walk ended; '!' and '~' come before and
   * after every '/'. What sort puts aside lies outside of the walk.
   */
  static String script(String folder) {
    return """
      {
      device="$(/usr/bin/find %1$s/opt/atoll/agent -maxdepth 0 -printf %%D)"
      printf '!%%s %%s\\0' "$device" "$(/usr/bin/id -u)"
      /usr/bin/find %1$s/ -xdev \
      \\( -path %1$s/proc -o -path %1$s/sys -o -path %1$s/dev -o -path %1$s/opt/atoll \\) -prune \
      -o -printf '/%%P//%%y %%m %%U %%G %%s %%T@ %%C@ %%D %%n//%%l\\0'
      printf '~%%s\\0' "$?"
      } | exec /usr/bin/sort -z -S 32M --parallel=1 -T /dev/shm
      """
        .formatted(folder);
  }

  /** Walks a guest, as root where its template allows it. */
  public static Walk of(Guest guest) {
    return of(guest, FileTools.SYSTEM);
  }

  static Walk of(Guest guest, FileTools tools) {
    GuestProgram program = GuestProgram.start(guest, tools.walk(), code -> code == 0, LIMIT);
    return new Walk(new NulRecords(program.output()), program);
  }

  /** Walks a template's root file system on the host. */
  static Walk of(Path rootfs) throws IOException {
    // Safe: a fixed script, which names everything below the folder that it is started in.
    ProcessBuilder builder = new ProcessBuilder("/bin/sh", "-c", script("."));
    builder.directory(rootfs.toFile()).redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("LC_ALL", "C");
    Process process = builder.start();
    return new Walk(new NulRecords(process.getInputStream()), process::destroyForcibly);
  }

  /** For records that come from elsewhere. */
  static Walk of(NulRecords records) {
    return new Walk(records, () -> {});
  }

  /** The next file; null at the end, which is the end of a walk that found all there is. */
  public @Nullable WalkEntry next() throws IOException {
    while (true) {
      String text = records.next();
      if (text == null) {
        if (!complete) {
          throw new IOException("the list of files ended too early");
        }
        return null;
      }
      WalkEntry entry = take(text);
      if (entry != null && !isAtolls(entry.path())) {
        return entry;
      }
    }
  }

  private @Nullable WalkEntry take(String text) throws IOException {
    if (text.startsWith("!")) {
      begin(text);
      return null;
    }
    if (text.startsWith("~")) {
      end(text);
      return null;
    }
    if (uid < 0 || complete) {
      throw new IOException("the list of files has no beginning or no end");
    }
    try {
      WalkEntry entry = WalkEntry.parse(text);
      WalkEntry before = last;
      if (before != null && WalkEntry.ORDER.compare(before, entry) >= 0) {
        throw new IOException("the list of files is out of order");
      }
      last = entry;
      return entry;
    } catch (IllegalArgumentException e) {
      throw new IOException("the list of files is unreadable: " + e.getMessage(), e);
    }
  }

  private void begin(String text) throws IOException {
    if (uid >= 0 || !text.matches("![0-9]{0,20} [0-9]{1,10}")) {
      throw new IOException("the files could not be listed");
    }
    int space = text.indexOf(' ');
    base = text.substring(1, space);
    uid = Long.parseLong(text.substring(space + 1));
  }

  private void end(String text) throws IOException {
    // find says 1 when a file went away under it, or could not be looked at.
    if (last == null || !text.matches("~[01]")) {
      throw new IOException("the files could not be listed");
    }
    complete = true;
  }

  private static boolean isAtolls(String path) {
    return path.equals(KEPT) || UPLOAD.matcher(path).matches();
  }

  /** The device of files that nobody has touched; empty when it is not known. */
  String base() {
    return base;
  }

  /** The user that walked; known, as the device, from the first entry on. */
  long uid() {
    return uid;
  }

  @Override
  public void close() throws IOException {
    try {
      source.close();
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }
}
