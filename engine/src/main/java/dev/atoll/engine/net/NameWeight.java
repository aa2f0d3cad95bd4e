package dev.atoll.engine.net;

/**
 * How much a name could carry out of a sandbox. Data that leaves in questions for names needs many
 * different names with long labels that look like noise; names of real hosts are short words.
 */
final class NameWeight {
  private static final int PLAIN_LABEL = 20;
  private static final int STEP = 4;

  private NameWeight() {}

  /** 1 for a usual name, up to about 50 for one that is all noise. */
  static int of(String name) {
    int weight = 1;
    for (String label : name.split("\\.", -1)) {
      int extra = Math.max(0, label.length() - PLAIN_LABEL) / STEP;
      weight += looksRandom(label) ? 2 * extra + 1 : extra;
    }
    return weight;
  }

  /** Long, and a mixture of letters and digits rather than words. */
  private static boolean looksRandom(String label) {
    if (label.length() < 12) {
      return false;
    }
    long changes = 0;
    for (int i = 1; i < label.length(); i++) {
      if (Character.isDigit(label.charAt(i)) != Character.isDigit(label.charAt(i - 1))) {
        changes++;
      }
    }
    return changes * 4 >= label.length();
  }
}
