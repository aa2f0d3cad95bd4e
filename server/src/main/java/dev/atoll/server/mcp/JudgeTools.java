package dev.atoll.server.mcp;

import dev.atoll.engine.program.Judging;
import dev.atoll.model.CaseResult;
import dev.atoll.model.Compilation;
import dev.atoll.model.JudgeCase;
import dev.atoll.model.JudgeRequest;
import dev.atoll.model.JudgeResult;
import dev.atoll.server.mcp.Tool.Effect;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The tool that tries a program on inputs with known outputs. */
final class JudgeTools {
  private JudgeTools() {}

  static List<Tool> all() {
    return List.of(judge());
  }

  private static Tool judge() {
    return new Tool(
        "judge",
        "Judge a program",
        "Compiles a program once and runs it once for each case, each time in the same fresh state"
            + " and without a network, and compares what it prints with what it should print.",
        Effect.READS,
        Schema.object()
            .text("language", "python, javascript, java, c, cpp, go, …")
            .text("code", "the whole program; it reads standard input and prints")
            .list(
                "cases",
                "what to try",
                Schema.object()
                    .text("name", "for people")
                    .text("stdin", "standard input")
                    .text("expected_output", "what it should print; anything when left out")
                    .arguments())
            .number("time_limit_seconds", "of processor time for each case, 2 by default")
            .integer("memory_limit_mib", "for each case, 256 by default")
            .requiring("language", "code", "cases")
            .arguments(),
        Schema.object()
            .text("verdict", "accepted, or the verdict of the first case that was not")
            .integer("passed", "how many cases were accepted")
            .integer("total", "how many there were")
            .text("compiler", "what the compiler said")
            .list("cases", "those that were run", caseSchema())
            .requiring("verdict", "passed", "total", "cases")
            .build(),
        JudgeTools::judge);
  }

  private static Map<String, Object> caseSchema() {
    return Schema.object()
        .text("name", "of the case")
        .text("verdict", "accepted, wrong_answer, …")
        .text("stdout", "what it printed")
        .text("stderr", "what it printed to standard error")
        .text("diff", "how the output differs")
        .integer("cpu_ms", "processor time")
        .requiring("name", "verdict", "stdout", "stderr", "cpu_ms")
        .build();
  }

  private static ToolAnswer judge(ToolRequest request) {
    JudgeRequest wanted =
        new JudgeRequest(
            request.required("language"),
            request.required("code"),
            null,
            request.objects("cases").stream().map(JudgeTools::judgeCase).toList(),
            null,
            null,
            null,
            null,
            null,
            null,
            request.number("time_limit_seconds"),
            request.integer("memory_limit_mib"),
            null,
            null,
            null,
            null,
            null,
            null);
    try (Judging judging = request.engine().programs().judge(request.project(), wanted);
        McpCall.Scope _ = request.call().onCancel(judging::close)) {
      return answer(judging.judge());
    }
  }

  private static JudgeCase judgeCase(Map<?, ?> given) {
    return new JudgeCase(
        text(given, "name"),
        text(given, "stdin"),
        text(given, "expected_output"),
        null,
        null,
        null,
        null,
        null);
  }

  private static @Nullable String text(Map<?, ?> given, String name) {
    Object value = given.get(name);
    return value == null ? null : value.toString();
  }

  private static ToolAnswer answer(JudgeResult result) {
    Compilation compile = result.compile();
    StringBuilder text =
        new StringBuilder(
            "%s: %d of %d cases passed"
                .formatted(result.verdict().wire(), result.passed(), result.total()));
    if (compile != null && !compile.ok()) {
      text.append('\n').append(Shortened.middle(compile.output()));
    }
    for (CaseResult one : result.cases()) {
      text.append("\ncase ").append(name(one)).append(": ").append(one.verdict().wire());
      if (one.diff() != null) {
        text.append('\n').append(Shortened.middle(one.diff()));
      }
    }
    return ToolAnswer.of(text.toString())
        .with("verdict", result.verdict().wire())
        .with("passed", result.passed())
        .with("total", result.total())
        .with("compiler", compile == null ? null : Shortened.middle(compile.output()))
        .with("cases", result.cases().stream().map(JudgeTools::row).toList());
  }

  private static Map<String, Object> row(CaseResult one) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("name", name(one));
    row.put("verdict", one.verdict().wire());
    row.put("stdout", Shortened.middle(one.stdout()));
    row.put("stderr", Shortened.middle(one.stderr()));
    row.put("cpu_ms", one.cpuMillis());
    if (one.diff() != null) {
      row.put("diff", Shortened.middle(one.diff()));
    }
    return row;
  }

  private static String name(CaseResult one) {
    return one.name() == null ? String.valueOf(one.number()) : one.name();
  }
}
