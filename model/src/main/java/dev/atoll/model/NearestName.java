package dev.atoll.model;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;

/** Guesses what somebody meant who wrote a name that does not exist. */
public final class NearestName {
  private static final int LISTED = 24;

  private NearestName() {}

  /** The known name that is closest, unless even that one is far off. */
  public static Optional<String> of(String name, Collection<String> known) {
    String best = null;
    int bestDistance = Integer.MAX_VALUE;
    for (String candidate : new TreeSet<>(known)) {
      int distance = difference(fold(name), fold(candidate));
      if (distance < bestDistance) {
        best = candidate;
        bestDistance = distance;
      }
    }
    return bestDistance <= Math.max(2, name.length() / 2)
        ? Optional.ofNullable(best)
        : Optional.empty();
  }

  /** A sentence that names the closest one, or else all of them. */
  public static String hint(String name, Collection<String> known) {
    return of(name, known)
        .map(nearest -> "Did you mean \"" + nearest + "\"?")
        .orElseGet(
            () ->
                "Known are: "
                    + String.join(", ", new TreeSet<>(known).stream().limit(LISTED).toList())
                    + ".");
  }

  private static String fold(String name) {
    return name.toLowerCase(Locale.ROOT).replace("_", "").replace("-", "");
  }

  /**
   * People leave units and endings out, so a common beginning weighs more than the length of the
   * rest.
   */
  private static int difference(String written, String known) {
    return written.length() >= 3 && (known.startsWith(written) || written.startsWith(known))
        ? -written.length()
        : distance(written, known) - commonStart(written, known);
  }

  private static int commonStart(String a, String b) {
    int length = 0;
    while (length < Math.min(a.length(), b.length()) && a.charAt(length) == b.charAt(length)) {
      length++;
    }
    return length;
  }

  /** Levenshtein's distance, with one row of memory; names are short. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int above = row[j];
        int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(change, 1 + Math.min(above, row[j - 1]));
        diagonal = above;
      }
    }
    return row[b.length()];
  }
}
