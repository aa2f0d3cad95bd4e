package dev.atoll.cli;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** What people type who know another tool, or who mistype: which command they mean. */
final class ForeignWords {
  /** Words of Docker and E2B that mean the same: they are taken for the command. */
  private static final Map<String, String> ALIASES =
      Map.of(
          "list", "ls",
          "delete", "rm",
          "remove", "rm",
          "inspect", "info",
          "unpause", "resume",
          "connect", "shell",
          "images", "templates");

  /** Words that mean something close: they are not obeyed, but answered. */
  private static final Map<String, String> RELATED =
      Map.ofEntries(
          Map.entry("stop", "pause"),
          Map.entry("start", "resume"),
          Map.entry("terminate", "rm"),
          Map.entry("destroy", "rm"),
          Map.entry("spawn", "create"),
          Map.entry("new", "create"),
          Map.entry("attach", "shell"),
          Map.entry("ssh", "shell"),
          Map.entry("upload", "cp"),
          Map.entry("download", "cp"),
          Map.entry("top", "ps"),
          Map.entry("stats", "info"),
          Map.entry("metrics", "info"),
          Map.entry("port", "ports"),
          Map.entry("commit", "snapshot create"),
          Map.entry("checkpoint", "snapshot create"),
          Map.entry("build", "template build"),
          Map.entry("login", "key create"),
          Map.entry("rename", "update"),
          Map.entry("install", "packages install"));

  private ForeignWords() {}

  /** Other words for a command. */
  static String[] aliases(String command) {
    return ALIASES.entrySet().stream()
        .filter(alias -> alias.getValue().equals(command))
        .map(Map.Entry::getKey)
        .sorted()
        .toArray(String[]::new);
  }

  /** The command that a word stands for; the word itself if it is no other word for one. */
  static String command(String word) {
    return ALIASES.getOrDefault(word, word);
  }

  /** What was probably meant by a word that is no command, among those that there are. */
  static Optional<String> meant(String word, Collection<String> commands) {
    String related = RELATED.get(word);
    if (related != null && commands.contains(related.split(" ", 2)[0])) {
      return Optional.of(related);
    }
    return Stream.concat(
            commands.stream().filter(command -> near(word, command)),
            begunBy(word, commands).stream())
        .min(Comparator.comparingInt(command -> distance(word, command)))
        .map(ForeignWords::command);
  }

  /** One slip of the finger in a short word, two in a long one. */
  private static boolean near(String word, String command) {
    int longest = Math.max(word.length(), command.length());
    return distance(word, command) <= (longest < 6 ? 1 : 2);
  }

  private static List<String> begunBy(String word, Collection<String> commands) {
    return commands.stream()
        .filter(command -> word.length() > 2 && command.startsWith(word))
        .toList();
  }

  /** How many letters to add, drop, change or swap with their neighbour. */
  static int distance(String from, String to) {
    int[][] cost = new int[from.length() + 1][to.length() + 1];
    for (int i = 0; i <= from.length(); i++) {
      for (int j = 0; j <= to.length(); j++) {
        cost[i][j] = i == 0 || j == 0 ? i + j : step(cost, from, to, i, j);
      }
    }
    return cost[from.length()][to.length()];
  }

  private static int step(int[][] cost, String from, String to, int i, int j) {
    int change = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
    int best = Math.min(cost[i - 1][j - 1] + change, Math.min(cost[i - 1][j], cost[i][j - 1]) + 1);
    boolean swapped =
        i > 1
            && j > 1
            && from.charAt(i - 1) == to.charAt(j - 2)
            && from.charAt(i - 2) == to.charAt(j - 1);
    return swapped ? Math.min(best, cost[i - 2][j - 2] + 1) : best;
  }
}
