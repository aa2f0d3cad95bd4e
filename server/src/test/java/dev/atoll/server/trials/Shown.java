package dev.atoll.server.trials;

import dev.atoll.model.MimeBundle;
import dev.atoll.model.RunError;
import dev.atoll.model.RunResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a cell has come to, as somebody sees it who looks at the notebook.
 *
 * @param displays bundles by MIME type
 * @param result a bundle, or null
 */
record Shown(
    String stdout,
    String stderr,
    List<Map<String, Object>> displays,
    @Nullable Map<String, Object> result,
    @Nullable Failure error) {
  /** Forms that only we add. */
  private static final Set<String> OURS = Set.of(MimeBundle.CHART);

  /** An error, without its traceback. */
  record Failure(String name, String message) {}

  Shown {
    displays = displays.stream().map(Shown::usual).toList();
    result = result == null ? null : usual(result);
  }

  private static Map<String, Object> usual(Map<String, Object> bundle) {
    Map<String, Object> usual = new LinkedHashMap<>(bundle);
    usual.keySet().removeAll(OURS);
    return usual;
  }

  static Shown of(RunResult run) {
    RunError error = run.error();
    MimeBundle result = run.result();
    return new Shown(
        run.stdout(),
        run.stderr(),
        run.displays().stream().map(MimeBundle::forms).toList(),
        result == null ? null : result.forms(),
        error == null ? null : new Failure(error.name(), error.value()));
  }

  /** One line for each thing in which it differs, by the thing's name. */
  Map<String, String> differences(Shown other) {
    Map<String, String> differences = new LinkedHashMap<>();
    compare(differences, "stdout", lasting(stdout), lasting(other.stdout));
    compare(differences, "stderr", lasting(stderr), lasting(other.stderr));
    compare(differences, "displays", forms(displays), forms(other.displays));
    compare(differences, "result", forms(all(result)), forms(all(other.result)));
    compare(differences, "error", lasting(error), lasting(other.error));
    return differences;
  }

  private static void compare(
      Map<String, String> differences,
      String what,
      @Nullable Object ours,
      @Nullable Object theirs) {
    if (!Objects.equals(ours, theirs)) {
      differences.put(what, "atoll " + brief(ours) + ", ipykernel " + brief(theirs));
    }
  }

  private static String brief(@Nullable Object value) {
    String text = String.valueOf(value).replace("\n", "\\n");
    return text.length() <= 400 ? text : text.substring(0, 400) + " … " + text.length();
  }

  private static List<Map<String, Object>> all(@Nullable Map<String, Object> bundle) {
    return bundle == null ? List.of() : List.of(bundle);
  }

  /** MIME types, and the text; how a picture is packed is the business of the library. */
  private static List<String> forms(List<Map<String, Object>> bundles) {
    List<String> forms = new ArrayList<>();
    for (Map<String, Object> bundle : bundles) {
      forms.add(new TreeSet<>(bundle.keySet()) + " " + lasting("" + bundle.get("text/plain")));
    }
    return forms;
  }

  /** A cell has another name each time. */
  private static @Nullable Failure lasting(@Nullable Failure error) {
    return error == null
        ? null
        : new Failure(
            error.name(),
            error.message().replaceAll("\\((?:<cell \\d+>|\\d+\\.py), line", "(line"));
  }

  /** Without what is another one each time: addresses in memory. */
  private static String lasting(String text) {
    return text.replaceAll("0x[0-9a-f]{6,}", "0x…");
  }
}
