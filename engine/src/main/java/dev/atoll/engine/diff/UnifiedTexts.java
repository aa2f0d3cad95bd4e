package dev.atoll.engine.diff;

import dev.atoll.engine.FileContent;
import dev.atoll.engine.file.GuestFileSystem;
import dev.atoll.engine.file.GuestProgram;
import dev.atoll.engine.files.WalkEntry;
import dev.atoll.engine.guest.Guest;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Unified diffs of files that are text on both sides, as far as space and time for all of them
 * allow.
 */
final class UnifiedTexts {
  private static final int MOST_FILE = 256 << 10;
  private static final int MOST_ALL = 1 << 20;
  private static final Duration LIMIT = Duration.ofSeconds(15);

  private final Both<Guest> guests;
  private final long deadline = System.nanoTime() + LIMIT.toNanos();
  private int left = MOST_ALL;

  UnifiedTexts(Both<Guest> guests) {
    this.guests = guests;
  }

  /** The diff; null when there is none to show. */
  @Nullable String of(@Nullable WalkEntry from, @Nullable WalkEntry to) {
    if (from == null || to == null || !isReadable(from) || !isReadable(to)) {
      return null;
    }
    if (left <= 0 || System.nanoTime() > deadline) {
      return null;
    }
    String path = new String(to.bytes(), StandardCharsets.UTF_8);
    Both<byte[]> bytes = guests.map(guest -> read(guest, path));
    String before = text(bytes.from());
    String after = text(bytes.to());
    if (before == null || after == null) {
      return null;
    }
    String unified = UnifiedDiff.of(to.display(), before, after);
    if (unified.isEmpty() || unified.length() > left) {
      return null;
    }
    left -= unified.length();
    return unified;
  }

  /** The protocol knows paths that are text only. */
  private static boolean isReadable(WalkEntry entry) {
    return entry.isFile() && entry.size() <= MOST_FILE && text(entry.bytes()) != null;
  }

  /** Its content; one byte too many for what is too long, and for what cannot be read. */
  private static byte[] read(Guest guest, String path) {
    try {
      return read(guest, path, GuestProgram.ROOT);
    } catch (AtollException e) {
      return e.code() == ErrorCode.PERMISSION_DENIED
          ? read(guest, path, "")
          : new byte[MOST_FILE + 1];
    }
  }

  private static byte[] read(Guest guest, String path, String user) {
    try (FileContent content = new GuestFileSystem(guest, user).read(path, 0, MOST_FILE + 1)) {
      return content.stream().readNBytes(MOST_FILE + 1);
    } catch (IOException e) {
      return new byte[MOST_FILE + 1];
    }
  }

  private static @Nullable String text(byte[] bytes) {
    if (bytes.length > MOST_FILE) {
      return null;
    }
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return text.indexOf(0) < 0 ? text : null;
    } catch (CharacterCodingException e) {
      return null;
    }
  }
}
