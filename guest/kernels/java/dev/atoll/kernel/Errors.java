package dev.atoll.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import jdk.jshell.EvalException;
import jdk.jshell.JShellException;
import jdk.jshell.UnresolvedReferenceException;

/** How what went wrong is told: name, message, and the user's own lines. */
final class Errors {
  private static final int MOST_CAUSES = 10;

  private Errors() {}

  /**
   * Code that the compiler refused.
   *
   * @param position in the source of the place; negative when it is not known
   */
  static Answer compilation(Cells.Place place, String message, int position) {
    String first = message.lines().findFirst().orElse(message).strip();
    int offset = Math.clamp(position, 0, place.source().length());
    String before = place.source().substring(0, offset);
    int line = place.line() + (int) before.chars().filter(c -> c == '\n').count();
    List<String> trace = new ArrayList<>(List.of("cell %d, line %d:".formatted(place.cell(), line)));
    int start = before.lastIndexOf('\n') + 1;
    String text = place.source().substring(start).lines().findFirst().orElse("");
    trace.add("    " + text);
    if (position >= 0) {
      trace.add(" ".repeat(4 + offset - start) + "^");
    }
    trace.addAll(message.strip().lines().toList());
    return Answer.error("CompilationError", first, trace);
  }

  /** A library that cannot be had, with the line that asks for it. */
  static Answer missing(int cell, String code, DependencyException exception) {
    List<String> lines = code.lines().toList();
    List<String> trace = new ArrayList<>();
    for (int i = 0; i < lines.size() && trace.isEmpty(); i++) {
      String line = lines.get(i).strip();
      if ((line.startsWith("//DEPS") || line.startsWith("/env")) && isAbout(exception, line)) {
        trace.add("cell %d, line %d:".formatted(cell, i + 1));
        trace.add("    " + line);
      }
    }
    trace.add(exception.toString());
    return Answer.error("DependencyError", exception.toString(), trace);
  }

  /** Whether the message names something of the line. */
  private static boolean isAbout(DependencyException exception, String line) {
    return Stream.of(line.split("[\\s,;:=]+"))
        .skip(1)
        .anyMatch(word -> exception.getMessage().contains(word));
  }

  static Answer thrown(JShellException exception, Map<String, Cells.Place> places) {
    List<String> trace = new ArrayList<>();
    Throwable at = exception;
    for (int i = 0; at instanceof JShellException && i < MOST_CAUSES; i++) {
      trace.add((i == 0 ? "" : "Caused by: ") + headline(at));
      frames(at, places, trace);
      at = at.getCause();
    }
    String name = nameOf(exception);
    return Answer.error(
        name.substring(name.lastIndexOf('.') + 1).replace('$', '.'),
        messageOf(exception),
        trace,
        name.equals("java.lang.OutOfMemoryError") ? limitOf(messageOf(exception)) : null);
  }

  private static String limitOf(String message) {
    return message.contains("thread") ? "processes" : "memory";
  }

  private static String headline(Throwable exception) {
    String message = messageOf(exception);
    return message.isEmpty() ? nameOf(exception) : nameOf(exception) + ": " + message;
  }

  private static String nameOf(Throwable exception) {
    return exception instanceof EvalException thrown
        ? thrown.getExceptionClassName().replaceFirst("^REPL\\.\\$JShell\\$\\w+\\$", "")
        : exception.getClass().getName();
  }

  private static String messageOf(Throwable exception) {
    if (exception instanceof UnresolvedReferenceException unresolved) {
      return unresolved.getSnippet().name() + " uses what is not declared yet";
    }
    return exception.getMessage() == null ? "" : exception.getMessage();
  }

  /** JShell names the file of a snippet {@code #id}; what lies between is not the user's. */
  private static void frames(
      Throwable exception, Map<String, Cells.Place> places, List<String> trace) {
    for (StackTraceElement frame : exception.getStackTrace()) {
      String file = frame.getFileName();
      Cells.Place place =
          file == null || !file.startsWith("#") ? null : places.get(file.substring(1));
      if (place != null) {
        int line = place.line() + frame.getLineNumber() - 1;
        trace.add(
            "    at %s(cell %d, line %d)".formatted(methodOf(frame), place.cell(), line));
        place.source().lines().skip(frame.getLineNumber() - 1L).findFirst()
            .ifPresent(text -> trace.add("        " + text.strip()));
      }
    }
  }

  private static String methodOf(StackTraceElement frame) {
    String method = frame.getMethodName();
    if (method.isEmpty() || method.equals("do_it$")) {
      return "";
    }
    String type = frame.getClassName();
    return (type.isEmpty() ? method : type + "." + method) + " ";
  }
}
