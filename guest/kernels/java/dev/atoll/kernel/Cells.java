package dev.atoll.kernel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.jshell.DeclarationSnippet;
import jdk.jshell.Diag;
import jdk.jshell.JShell;
import jdk.jshell.JShellException;
import jdk.jshell.MethodSnippet;
import jdk.jshell.Snippet;
import jdk.jshell.Snippet.Kind;
import jdk.jshell.Snippet.SubKind;
import jdk.jshell.SnippetEvent;
import jdk.jshell.SourceCodeAnalysis;
import jdk.jshell.SourceCodeAnalysis.Completeness;
import jdk.jshell.SourceCodeAnalysis.CompletionInfo;
import jdk.jshell.TypeDeclSnippet;

/** Runs cells in a JShell. {@link #expect} and {@link #interrupt} may be called while one runs. */
final class Cells {
  private static final long STOP_MILLIS = 50;
  private static final List<String> IMPORTS =
      List.of("import module java.base;", "import module java.net.http;");

  /**
   * Where a snippet stands.
   *
   * @param line of the cell that it begins in, from 1
   * @param closed whether it was written with a semicolon, and so wants no value shown
   */
  record Place(int cell, int line, String source, boolean closed) {}

  private final JShell shell;
  private final SourceCodeAnalysis analysis;
  private final ClassPath classPath;
  private final Map<String, Place> places = new HashMap<>();
  private final AtomicInteger expected = new AtomicInteger();
  private volatile int interrupted;
  private volatile int begun;
  private volatile int ended;

  Cells() {
    shell =
        JShell.builder()
            .executionEngine(new KernelControl.Provider(), Map.of())
            .compilerOptions("-Xlint:none")
            .build();
    analysis = shell.sourceCodeAnalysis();
    classPath = new ClassPath(shell::addToClasspath);
    IMPORTS.forEach(shell::eval);
  }

  /** Code has arrived; an interrupt that comes from now on is for it. */
  void expect() {
    expected.incrementAndGet();
  }

  /** Ends what was announced last, unless it has ended. */
  void interrupt() {
    int target = expected.get();
    if (target > ended) {
      interrupted = target;
      Thread.ofPlatform().daemon().name("atoll-interrupt").start(() -> stop(target));
    }
  }

  /** Code can only be stopped while it runs, not while it is compiled. */
  private void stop(int target) {
    try {
      while (ended < target) {
        if (begun == target) {
          shell.stop();
          classPath.stop();
        }
        Thread.sleep(STOP_MILLIS);
      }
    } catch (InterruptedException e) {
      // Nobody does that.
    }
  }

  /** Runs a cell; null when there is nothing to tell. */
  Answer run(String code) {
    begun++;
    try {
      Preamble preamble = Preamble.of(code);
      classPath.add(preamble);
      return runAll(preamble.code());
    } catch (DependencyException e) {
      return isInterrupted()
          ? Answer.error("Interrupted", "", List.of())
          : Errors.missing(begun, code, e);
    } catch (OutOfMemoryError e) {
      return Answer.error("OutOfMemoryError", String.valueOf(e.getMessage()), List.of(), "memory");
    } finally {
      ended = begun;
    }
  }

  private boolean isInterrupted() {
    return interrupted == begun;
  }

  private Answer runAll(String code) {
    List<Place> parts = new ArrayList<>();
    Answer malformed = split(code, parts);
    if (malformed != null) {
      return malformed;
    }
    Answer answer = null;
    Map<DeclarationSnippet, Place> declared = new LinkedHashMap<>();
    boolean declares = true;
    String main = null;
    for (Place part : parts) {
      List<SnippetEvent> events = shell.eval(part.source());
      for (SnippetEvent event : events) {
        if (isInterrupted()) {
          return Answer.error("Interrupted", "", List.of());
        }
        if (event.causeSnippet() != null) {
          continue;
        }
        places.put(event.snippet().id(), part);
        Answer failure = failure(event, part);
        if (failure != null) {
          return failure;
        }
        if (event.snippet() instanceof DeclarationSnippet declaration) {
          declared.put(declaration, part);
        } else {
          declares &= event.snippet().kind() == Kind.IMPORT;
        }
        main = mainOf(event.snippet(), main);
        answer = part.closed() ? null : value(event);
      }
    }
    Answer missing = unresolved(declared);
    if (missing != null) {
      return missing;
    }
    return declares && main != null ? runAll(main) : answer;
  }

  /** A cell that only declares things, among them a program, means that program to run. */
  private static String mainOf(Snippet snippet, String before) {
    if (snippet instanceof MethodSnippet method && method.name().equals("main")) {
      return method.parameterTypes().isEmpty() ? "main();" : "main(new String[0]);";
    }
    if (snippet instanceof TypeDeclSnippet type
        && type.source().matches("(?s).*\\bstatic\\s+void\\s+main\\s*\\(\\s*(final\\s+)?String\\b.*")) {
      return type.name() + ".main(new String[0]);";
    }
    return before;
  }

  /** Takes a cell apart before anything of it runs. */
  private Answer split(String code, List<Place> parts) {
    String rest = code;
    int at = 0;
    while (!rest.isBlank()) {
      CompletionInfo info = analysis.analyzeCompletion(rest);
      boolean broken =
          info.completeness() == Completeness.UNKNOWN
              || info.completeness() == Completeness.DEFINITELY_INCOMPLETE;
      String given = broken ? rest : info.source();
      if (given == null || info.completeness() == Completeness.EMPTY) {
        return null;
      }
      String source = given.stripLeading();
      int start = at + given.length() - source.length();
      int end = broken ? code.length() : code.length() - info.remaining().length();
      boolean closed = code.substring(start, end).stripTrailing().endsWith(";");
      Place place = new Place(begun, lineOf(code, start), source, closed);
      parts.add(place);
      if (broken) {
        // Nothing of the cell has run, and JShell says what is wrong with this part.
        return rejected(place);
      }
      at = end;
      rest = info.remaining();
    }
    return null;
  }

  private static int lineOf(String code, int offset) {
    return 1 + (int) code.chars().limit(offset).filter(c -> c == '\n').count();
  }

  private Answer rejected(Place place) {
    List<SnippetEvent> events = shell.eval(place.source());
    Answer failure = events.isEmpty() ? null : failure(events.getFirst(), place);
    return failure == null
        ? Errors.compilation(place, "the code is not complete", -1)
        : failure;
  }

  private Answer failure(SnippetEvent event, Place place) {
    if (event.exception() instanceof JShellException exception) {
      KernelControl.Exit exit = KernelControl.takeExit();
      return exit == null ? Errors.thrown(exception, places) : exited(exit);
    }
    if (event.status() == Snippet.Status.REJECTED) {
      Diag diagnostic =
          shell.diagnostics(event.snippet()).filter(Diag::isError).findFirst().orElse(null);
      return diagnostic == null
          ? Errors.compilation(place, "the code cannot be compiled", -1)
          : Errors.compilation(
              place, diagnostic.getMessage(null), (int) diagnostic.getStartPosition());
    }
    return null;
  }

  /** A type may use what the cell declares after it, but at its end all must be there. */
  private Answer unresolved(Map<DeclarationSnippet, Place> declared) {
    for (Map.Entry<DeclarationSnippet, Place> entry : declared.entrySet()) {
      DeclarationSnippet snippet = entry.getKey();
      if (shell.status(snippet) == Snippet.Status.RECOVERABLE_NOT_DEFINED) {
        String missing = String.join(", ", shell.unresolvedDependencies(snippet).toList());
        return Errors.compilation(entry.getValue(), "cannot find " + missing, -1);
      }
    }
    return null;
  }

  private static Answer exited(KernelControl.Exit exit) {
    return Answer.error("SystemExit", String.valueOf(exit.status()), List.of());
  }

  private static Answer value(SnippetEvent event) {
    Snippet snippet = event.snippet();
    boolean isExpression =
        snippet.kind() == Kind.EXPRESSION || snippet.subKind() == SubKind.TEMP_VAR_EXPRESSION_SUBKIND;
    String value = event.value();
    return isExpression && value != null && !value.isEmpty() ? Answer.value(value) : null;
  }
}
