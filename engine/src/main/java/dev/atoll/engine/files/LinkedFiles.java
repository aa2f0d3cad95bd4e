package dev.atoll.engine.files;

import dev.atoll.engine.file.GuestProgram;
import dev.atoll.engine.guest.Guest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Owners and permissions of files with several names. In gVisor a link that root makes gives the
 * file to root and takes its set-user-id bit; so after tar has linked, both are set again.
 */
final class LinkedFiles {
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final int SPECIAL = 06000;
  private static final int BATCH = 4000;

  private final Guest guest;
  private final ByteArrayOutputStream paths = new ByteArrayOutputStream();
  private String attributes = "";
  private int count;

  private LinkedFiles(Guest guest) {
    this.guest = guest;
  }

  /** Writes what is to be set again later: owner and mode, then the path. */
  static void note(WalkEntry file, OutputStream list) throws IOException {
    boolean ordinary = file.uid() == 0 && file.gid() == 0 && (file.mode() & SPECIAL) == 0;
    if (file.isFile() && file.links() > 1 && !ordinary) {
      LayerScan.write(list, "%d:%d %o".formatted(file.uid(), file.gid(), file.mode()), "");
      LayerScan.write(list, ".", file.path());
    }
  }

  /** Sets again what was noted. */
  static void restore(Path list, Guest guest) throws IOException {
    LinkedFiles files = new LinkedFiles(guest);
    try (NulRecords records = new NulRecords(Files.newInputStream(list))) {
      for (String next = records.next(); next != null; next = records.next()) {
        String path = records.next();
        if (path == null || !next.matches("[0-9]{1,10}:[0-9]{1,10} [0-7]{1,4}")) {
          throw new IOException(list.getFileName() + " is unreadable");
        }
        files.add(next, path);
      }
    }
    files.flush();
  }

  private void add(String wanted, String path) throws IOException {
    if (!wanted.equals(attributes) || count == BATCH) {
      flush();
      attributes = wanted;
    }
    paths.writeBytes((path + "\0").getBytes(StandardCharsets.ISO_8859_1));
    count++;
  }

  private void flush() throws IOException {
    if (count > 0) {
      int space = attributes.indexOf(' ');
      run("/usr/bin/chown", attributes.substring(0, space));
      run("/usr/bin/chmod", attributes.substring(space + 1));
    }
    paths.reset();
    count = 0;
  }

  private void run(String program, String argument) throws IOException {
    List<String> argv = List.of("/usr/bin/xargs", "-0", "-r", program, "--", argument);
    try (GuestProgram running = GuestProgram.start(guest, argv, code -> code == 0, LIMIT)) {
      running.feed(new ByteArrayInputStream(paths.toByteArray()));
      running.finish();
    }
  }
}
