package dev.atoll.engine.diff;

import dev.atoll.engine.file.GuestProgram;
import dev.atoll.engine.files.FileTrouble;
import dev.atoll.engine.files.NulRecords;
import dev.atoll.engine.files.WalkEntry;
import dev.atoll.engine.guest.Guest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Hashes of files, made in their guest. */
final class ContentHashes {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final int DIGITS = 64;
  private static final int SOME_FAILED = 123;
  private static final List<String> PROGRAM =
      List.of("/usr/bin/xargs", "-0", "-r", "/usr/bin/sha256sum", "-z", "--");

  private ContentHashes() {}

  /** Path to hash; a file that cannot be read is not among them. */
  static Map<String, String> of(Guest guest, List<WalkEntry> files) {
    ByteArrayOutputStream names = new ByteArrayOutputStream();
    for (WalkEntry file : files) {
      names.writeBytes(file.bytes());
      names.write(0);
    }
    Map<String, String> hashes = new HashMap<>();
    try (GuestProgram program =
            GuestProgram.start(guest, PROGRAM, code -> code == 0 || code == SOME_FAILED, LIMIT);
        NulRecords records = new NulRecords(program.output())) {
      program.feed(new ByteArrayInputStream(names.toByteArray()));
      for (String line = records.next(); line != null; line = records.next()) {
        // The hash, a space, the kind of reading, and the path.
        if (line.length() > DIGITS + 2 && hashes.size() < files.size()) {
          hashes.put(line.substring(DIGITS + 2), line.substring(0, DIGITS));
        }
      }
    } catch (IOException e) {
      throw FileTrouble.of("the files could not be compared", e);
    }
    return hashes;
  }
}
