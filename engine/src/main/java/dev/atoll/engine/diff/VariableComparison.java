package dev.atoll.engine.diff;

import dev.atoll.engine.run.Runs;
import dev.atoll.model.Change;
import dev.atoll.model.ContextInfo;
import dev.atoll.model.Json;
import dev.atoll.model.VariableDifference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * Compares the variables of two relatives, context by context. A context that one side does not
 * have counts as one without variables.
 */
final class VariableComparison {
  private static final String PYTHON = "python";
  private static final int MOST = 1000;
  private static final int MOST_TEXT = 200;

  private final Both<Runs> runs;
  private final List<VariableDifference> found = new ArrayList<>();
  private boolean truncated;

  VariableComparison(Side from, Side to) {
    this.runs = new Both<>(from.runs(), to.runs());
  }

  List<VariableDifference> found() {
    return found;
  }

  boolean isTruncated() {
    return truncated;
  }

  void run() {
    Both<Set<String>> contexts = new Both<>(contexts(runs.from()), contexts(runs.to()));
    Set<String> names = new TreeSet<>(contexts.from());
    names.addAll(contexts.to());
    for (String name : names) {
      compare(name, new Both<>(contexts.from().contains(name), contexts.to().contains(name)));
    }
  }

  private static Set<String> contexts(Runs runs) {
    return runs.contexts().stream()
        .filter(context -> context.language().equals(PYTHON))
        .map(ContextInfo::name)
        .collect(Collectors.toSet());
  }

  private void compare(String context, Both<Boolean> present) {
    Both<JsonNode> quick =
        Both.of(
            () -> present.from() ? Inspection.all(runs.from(), context) : nothing(),
            () -> present.to() ? Inspection.all(runs.to(), context) : nothing());
    Set<String> suspects = suspects(quick.from(), quick.to());
    if (suspects.isEmpty()) {
      return;
    }
    Both<JsonNode> exact =
        Both.of(
            () -> some(runs.from(), context, suspects, quick.from()),
            () -> some(runs.to(), context, suspects, quick.to()));
    for (String name : suspects) {
      add(context, name, exact.from().path(name), exact.to().path(name));
    }
  }

  private static JsonNode nothing() {
    return Json.lenient().createObjectNode();
  }

  private static JsonNode some(
      Runs runs, String context, Collection<String> names, JsonNode known) {
    List<String> there = names.stream().filter(known::has).toList();
    return there.isEmpty() ? nothing() : Inspection.some(runs, context, there);
  }

  /** Names whose fingerprints are not known to be equal, as many as can be told of. */
  private Set<String> suspects(JsonNode from, JsonNode to) {
    Set<String> names = new TreeSet<>(from.propertyNames());
    names.addAll(to.propertyNames());
    Set<String> suspects = new TreeSet<>();
    for (String name : names) {
      if (isEqual(from.path(name).asString("?"), to.path(name).asString("?"))) {
        continue;
      }
      if (found.size() + suspects.size() >= MOST) {
        truncated = true;
        break;
      }
      suspects.add(name);
    }
    return suspects;
  }

  private static boolean isEqual(String from, String to) {
    return from.equals(to) && !from.equals("?");
  }

  private void add(String context, String name, JsonNode from, JsonNode to) {
    boolean before = from.isArray();
    boolean after = to.isArray();
    // A name that both sides have lost meanwhile is on neither.
    if (before == after && from.path(0).equals(to.path(0))) {
      return;
    }
    found.add(
        new VariableDifference(
            context,
            shown(name),
            before && after ? Change.CHANGED : before ? Change.REMOVED : Change.ADDED,
            before ? shown(from.path(1).asString("")) : null,
            after ? shown(to.path(1).asString("")) : null));
  }

  /**
   * Half characters, which no encoding has, are replaced; the guest may have sent more than asked.
   */
  private static String shown(String text) {
    String whole = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    return whole.codePointCount(0, whole.length()) <= MOST_TEXT
        ? whole
        : whole.substring(0, whole.offsetByCodePoints(0, MOST_TEXT));
  }
}
