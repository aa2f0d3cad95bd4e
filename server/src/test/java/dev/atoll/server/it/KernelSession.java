package dev.atoll.server.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A session with a language kernel, as {@code guest/test/contract/FORMAT.md} says it is written.
 *
 * @param steps cells, and restores between them
 */
record KernelSession(String name, List<Step> steps) {

  /** Something to do, and what must come of it. */
  sealed interface Step {}

  /** The sandbox is put to sleep and wakes. */
  record Restore() implements Step {}

  /**
   * Code to run.
   *
   * @param context empty for the first context of the session
   * @param expected argument and text of each expectation, by its name
   */
  record Cell(
      String context, String code, Map<String, String> env, Map<String, Expectation> expected)
      implements Step {
    /** The text that must come, empty if none is mentioned. */
    String text(String part) {
      Expectation wanted = expected.get(part);
      return wanted == null ? "" : wanted.text();
    }

    @Nullable String argument(String part) {
      Expectation wanted = expected.get(part);
      return wanted == null ? null : wanted.argument();
    }

    boolean has(String part) {
      return expected.containsKey(part);
    }
  }

  /** What stands behind the name of an expectation, and below it. */
  record Expectation(String argument, String text) {}

  /** All sessions of a file. */
  static List<KernelSession> read(Path file) throws IOException {
    List<KernelSession> sessions = new ArrayList<>();
    for (String block : ("\n" + Files.readString(file)).split("\n== ", -1)) {
      if (!block.isBlank()) {
        int end = block.indexOf('\n');
        sessions.add(new KernelSession(block.substring(0, end), steps(block.substring(end))));
      }
    }
    return sessions;
  }

  private static List<Step> steps(String text) {
    List<Step> steps = new ArrayList<>();
    String[] parts = text.split("\n-- ", -1);
    for (int i = 1; i < parts.length; i++) {
      String head = parts[i].lines().findFirst().orElse("");
      if (head.startsWith("thaw ")) {
        steps.add(new Restore());
        continue;
      }
      List<String> cell = new ArrayList<>(List.of(parts[i]));
      while (i + 1 < parts.length && !parts[i + 1].matches("(?s)(in|thaw)\\b.*")) {
        cell.add(parts[++i]);
      }
      steps.add(cell(cell));
    }
    return steps;
  }

  private static Cell cell(List<String> parts) {
    Map<String, Expectation> expected = new LinkedHashMap<>();
    Map<String, String> env = new HashMap<>();
    int copies = 1;
    for (String part : parts.subList(1, parts.size())) {
      String[] words = head(part).split(" ", 2);
      String argument = words.length == 1 ? "" : words[1];
      switch (words[0]) {
        case "repeat" -> copies = Integer.parseInt(argument);
        case "env" -> env.put(argument.split("=", 2)[0], argument.split("=", 2)[1]);
        default -> expected.put(words[0], new Expectation(argument, body(part)));
      }
    }
    String code = String.join("\n", Collections.nCopies(copies, body(parts.getFirst())));
    return new Cell(head(parts.getFirst()).substring(2).strip(), code, env, expected);
  }

  private static String head(String part) {
    return part.lines().findFirst().orElse("");
  }

  private static String body(String part) {
    int end = part.indexOf('\n');
    return end < 0 ? "" : trim(part.substring(end + 1));
  }

  /** Without line breaks around it. */
  static String trim(String text) {
    return text.replaceAll("^\n+|\n+$", "");
  }
}
