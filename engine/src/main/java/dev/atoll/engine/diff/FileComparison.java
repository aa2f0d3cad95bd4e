package dev.atoll.engine.diff;

import dev.atoll.engine.files.FileTrouble;
import dev.atoll.engine.files.Walk;
import dev.atoll.engine.files.WalkEntry;
import dev.atoll.engine.files.WalkPairs;
import dev.atoll.engine.guest.Guest;
import dev.atoll.model.Change;
import dev.atoll.model.FileDifference;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Compares the file systems of two relatives. A file that neither has touched has the same times on
 * both sides, so only the content of files whose times differ is looked at, many at once.
 */
final class FileComparison {
  private static final int MOST = 1000;
  private static final int BATCH = 2000;

  private final Both<Guest> guests;
  private final List<WalkPairs.Pair> waiting = new ArrayList<>();
  private final List<WalkPairs.Pair> different = new ArrayList<>();
  private final List<FileDifference> found = new ArrayList<>();
  private boolean truncated;

  FileComparison(Guest from, Guest to) {
    this.guests = new Both<>(from, to);
  }

  List<FileDifference> found() {
    return found;
  }

  boolean isTruncated() {
    return truncated;
  }

  void run() {
    try {
      walk();
    } catch (IOException e) {
      throw FileTrouble.of("the files could not be compared", e);
    }
    UnifiedTexts texts = new UnifiedTexts(guests);
    for (WalkPairs.Pair pair : different) {
      found.add(difference(pair, texts));
    }
    found.sort(Comparator.comparing(FileDifference::path));
  }

  private void walk() throws IOException {
    // Each guest walks and sorts before it answers, so both do so at the same time.
    try (Walk from = Walk.of(guests.from());
        Walk to = Walk.of(guests.to())) {
      WalkPairs pairs = new WalkPairs(from, to);
      for (WalkPairs.Pair pair = pairs.next(); pair != null; pair = pairs.next()) {
        if (isSuspect(pair.left(), pair.right())) {
          waiting.add(pair);
        }
        if (waiting.size() == BATCH) {
          decide();
        }
        if (truncated) {
          return;
        }
      }
      decide();
    }
  }

  /** Whether the two may differ in what counts; the times of a directory do not. */
  static boolean isSuspect(@Nullable WalkEntry from, @Nullable WalkEntry to) {
    if (from == null || to == null || !from.looksLike(to)) {
      return true;
    }
    return from.isFile() && (from.modified() != to.modified() || from.changed() != to.changed());
  }

  private static boolean needsHash(WalkPairs.Pair pair) {
    WalkEntry from = pair.left();
    WalkEntry to = pair.right();
    return from != null && to != null && from.looksLike(to);
  }

  /** Keeps those of the waiting that differ indeed. */
  private void decide() {
    List<WalkEntry> doubtful =
        waiting.stream()
            .filter(FileComparison::needsHash)
            .map(pair -> Objects.requireNonNull(pair.left()))
            .toList();
    Both<Map<String, String>> hashes =
        doubtful.isEmpty()
            ? new Both<>(Map.of(), Map.of())
            : guests.map(guest -> ContentHashes.of(guest, doubtful));
    for (WalkPairs.Pair pair : waiting) {
      if (needsHash(pair) && isSame(Objects.requireNonNull(pair.left()).path(), hashes)) {
        continue;
      }
      if (different.size() == MOST) {
        truncated = true;
        break;
      }
      different.add(pair);
    }
    waiting.clear();
  }

  private static boolean isSame(String path, Both<Map<String, String>> hashes) {
    return Objects.equals(hashes.from().get(path), hashes.to().get(path));
  }

  private static FileDifference difference(WalkPairs.Pair pair, UnifiedTexts texts) {
    WalkEntry from = pair.left();
    WalkEntry to = pair.right();
    WalkEntry shown = to != null ? to : Objects.requireNonNull(from);
    Change change = from == null ? Change.ADDED : to == null ? Change.REMOVED : Change.CHANGED;
    return new FileDifference(
        shown.display(), change, shown.kind(), size(from), size(to), texts.of(from, to));
  }

  private static @Nullable Long size(@Nullable WalkEntry entry) {
    return entry == null ? null : entry.isFile() ? entry.size() : 0L;
  }
}
