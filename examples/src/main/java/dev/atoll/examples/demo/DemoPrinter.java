package dev.atoll.examples.demo;

import dev.atoll.agents.AgentEvent;
import dev.atoll.agents.tools.ToolCall;
import dev.atoll.agents.tools.ToolResult;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Shows an agent at work. Text and output appear as they come; branches, which run at the same
 * time, are shown one after the other, each when it has ended.
 */
final class DemoPrinter implements Consumer<AgentEvent> {
  private final PrintStream out;
  private final Map<Integer, List<AgentEvent>> branches = new TreeMap<>();
  private String margin = "  ";
  private boolean lineBegun;

  DemoPrinter(PrintStream out) {
    this.out = out;
  }

  @Override
  public void accept(AgentEvent event) {
    switch (event) {
      case AgentEvent.Opened opened ->
          line("sandbox %s from template %s".formatted(opened.sandbox(), opened.template()));
      case AgentEvent.Asked asked -> asked(asked.text());
      case AgentEvent.Text text -> write("", text.text());
      case AgentEvent.Waiting waiting ->
          line("(%s; again in %.1f s)".formatted(waiting.reason(), waiting.millis() / 1000.0));
      case AgentEvent.Replied replied -> endLine();
      case AgentEvent.Started started -> call(started.call());
      case AgentEvent.Output output -> write("| ", output.text());
      case AgentEvent.Answered answered -> answered(answered.result(), answered.millis());
      case AgentEvent.Branched branched ->
          heading(
              "%d branches, each in a fork of the sandbox, at the same time"
                  .formatted(branched.count()));
      case AgentEvent.InBranch inner -> inBranch(inner);
      case AgentEvent.Merged merged ->
          line("=> branch %d wins; the sandbox goes on as it".formatted(merged.branch()));
      case AgentEvent.Ended ended -> ended(ended);
    }
    out.flush();
  }

  private void asked(String text) {
    endLine();
    out.println();
    out.println(margin.strip() + (margin.isBlank() ? "" : " ") + "task: " + text);
  }

  private void heading(String text) {
    endLine();
    out.println();
    out.println(text);
  }

  private void call(ToolCall call) {
    endLine();
    line("> " + call.name());
    code(call).lines().forEach(text -> line("    " + text));
  }

  private static String code(ToolCall call) {
    try {
      JsonNode arguments = JsonMapper.shared().readTree(call.arguments());
      JsonNode code = arguments.path("code");
      return code.isString() ? code.asString() : arguments.toString();
    } catch (JacksonException e) {
      return call.arguments();
    }
  }

  /** Failures are told in words that no program wrote, so they were not shown as output. */
  private void answered(ToolResult result, long millis) {
    endLine();
    if (result.error()) {
      result.text().lines().forEach(text -> line("! " + text));
    }
    line("(%d ms)".formatted(millis));
  }

  private void inBranch(AgentEvent.InBranch event) {
    branches.computeIfAbsent(event.branch(), key -> new ArrayList<>()).add(event.inner());
    if (event.inner() instanceof AgentEvent.Ended) {
      margin = "  [branch %d] ".formatted(event.branch());
      List<AgentEvent> whole = branches.remove(event.branch());
      (whole == null ? List.<AgentEvent>of() : whole).forEach(this);
      margin = "  ";
    }
  }

  private void ended(AgentEvent.Ended ended) {
    line(
        "-- %s: %d steps, %.1f s"
                .formatted(
                    ended.end().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                    ended.steps(),
                    ended.millis() / 1000.0)
            + (ended.message().isEmpty() ? "" : ", " + ended.message()));
  }

  private void line(String text) {
    endLine();
    out.println(margin + text);
  }

  private void write(String mark, String text) {
    for (String piece : text.splitWithDelimiters("\n", 0)) {
      if (piece.equals("\n")) {
        endLine();
      } else if (!piece.isEmpty()) {
        out.print(lineBegun ? piece : margin + mark + piece);
        lineBegun = true;
      }
    }
  }

  private void endLine() {
    if (lineBegun) {
      out.println();
      lineBegun = false;
    }
  }
}
