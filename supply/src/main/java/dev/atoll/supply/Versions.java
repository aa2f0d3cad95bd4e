package dev.atoll.supply;

import dev.atoll.supply.Component.Ecosystem;
import java.util.Comparator;
import org.apache.maven.artifact.versioning.ComparableVersion;

/** The orders in which ecosystems put versions. */
final class Versions {
  private Versions() {}

  static Comparator<String> of(Ecosystem ecosystem) {
    return switch (ecosystem) {
      case MAVEN -> Comparator.comparing(ComparableVersion::new);
      case GO -> Versions::compareModules;
      case DEBIAN -> Versions::compareDebian;
    };
  }

  /** Semantic versions, with or without the v; what comes after a + does not count. */
  private static int compareModules(String left, String right) {
    String[] one = module(left);
    String[] two = module(right);
    int numbers = compareParts(one[0], two[0]);
    if (numbers != 0 || one[1].equals(two[1])) {
      return numbers;
    }
    // A version without anything after its numbers is later than those with something.
    if (one[1].isEmpty() || two[1].isEmpty()) {
      return one[1].isEmpty() ? 1 : -1;
    }
    return compareParts(one[1], two[1]);
  }

  private static String[] module(String version) {
    String bare = version.startsWith("v") ? version.substring(1) : version;
    int build = bare.indexOf('+');
    bare = build < 0 ? bare : bare.substring(0, build);
    int dash = bare.indexOf('-');
    return dash < 0
        ? new String[] {bare, ""}
        : new String[] {bare.substring(0, dash), bare.substring(dash + 1)};
  }

  private static int compareParts(String left, String right) {
    String[] one = left.split("\\.", -1);
    String[] two = right.split("\\.", -1);
    for (int i = 0; i < Math.max(one.length, two.length); i++) {
      if (i >= one.length || i >= two.length) {
        return Integer.compare(one.length, two.length);
      }
      boolean numbers = isNumber(one[i]) && isNumber(two[i]);
      int order = numbers ? compareNumbers(one[i], two[i]) : mixed(one[i], two[i]);
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  /** Numbers come before words. */
  private static int mixed(String left, String right) {
    return isNumber(left) == isNumber(right) ? left.compareTo(right) : isNumber(left) ? -1 : 1;
  }

  private static boolean isNumber(String text) {
    return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  private static int compareNumbers(String left, String right) {
    String one = left.replaceFirst("^0+(?=.)", "");
    String two = right.replaceFirst("^0+(?=.)", "");
    return one.length() == two.length()
        ? one.compareTo(two)
        : Integer.compare(one.length(), two.length());
  }

  /** Epoch, then upstream's version, then Debian's revision. */
  private static int compareDebian(String left, String right) {
    int epochs = compareNumbers(epoch(left), epoch(right));
    return epochs != 0 ? epochs : compareCharacters(rest(left), rest(right));
  }

  private static String epoch(String version) {
    int colon = version.indexOf(':');
    return colon < 0 ? "0" : version.substring(0, colon);
  }

  private static String rest(String version) {
    return version.substring(version.indexOf(':') + 1);
  }

  /** Words and numbers in turn; in words, ~ comes before the end and letters before the rest. */
  private static int compareCharacters(String left, String right) {
    int i = 0;
    int j = 0;
    while (i < left.length() || j < right.length()) {
      while ((i < left.length() && !digit(left, i)) || (j < right.length() && !digit(right, j))) {
        int order = Integer.compare(weight(left, i), weight(right, j));
        if (order != 0) {
          return order;
        }
        i++;
        j++;
      }
      int from = i;
      int begin = j;
      while (digit(left, i)) {
        i++;
      }
      while (digit(right, j)) {
        j++;
      }
      int order = compareNumbers("0" + left.substring(from, i), "0" + right.substring(begin, j));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  private static boolean digit(String text, int at) {
    return at < text.length() && Character.isDigit(text.charAt(at));
  }

  private static int weight(String text, int at) {
    if (at >= text.length() || digit(text, at)) {
      return 0;
    }
    char c = text.charAt(at);
    if (c == '~') {
      return -1;
    }
    return Character.isLetter(c) ? c : c + 256;
  }
}
