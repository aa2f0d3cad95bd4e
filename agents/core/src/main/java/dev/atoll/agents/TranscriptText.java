package dev.atoll.agents;

import dev.atoll.agents.tools.ToolCall;
import dev.atoll.agents.tools.ToolResult;

/** Events in words. */
final class TranscriptText {
  private static final int SHOWN = 2000;

  private TranscriptText() {}

  static String of(AgentEvent event) {
    return switch (event) {
      case AgentEvent.Opened opened ->
          "sandbox %s (%s)\n".formatted(opened.sandbox(), opened.template());
      case AgentEvent.Asked asked -> "\n== task ==\n" + asked.text() + "\n";
      case AgentEvent.Waiting waiting ->
          "-- %s; waited %d ms --\n".formatted(waiting.reason(), waiting.millis());
      case AgentEvent.Replied replied -> replied(replied);
      case AgentEvent.Answered answered -> answered(answered.call(), answered.result());
      case AgentEvent.Branched branched -> "\n== %d branches ==\n".formatted(branched.count());
      case AgentEvent.InBranch branch ->
          of(branch.inner()).indent(2).replaceAll("(?m)^ {2}", "[" + branch.branch() + "] ");
      case AgentEvent.Merged merged ->
          "== went on as branch %d (score %s) ==\n".formatted(merged.branch(), merged.score());
      case AgentEvent.Ended ended ->
          "\n== %s after %d steps, %d tokens, %.1f s%s ==\n"
              .formatted(
                  ended.end().name().toLowerCase(java.util.Locale.ROOT).replace('_', ' '),
                  ended.steps(),
                  ended.usage().total(),
                  ended.millis() / 1000.0,
                  ended.message().isEmpty() ? "" : ": " + ended.message());
      case AgentEvent.Text ignored -> "";
      case AgentEvent.Started ignored -> "";
      case AgentEvent.Output ignored -> "";
    };
  }

  private static String replied(AgentEvent.Replied replied) {
    StringBuilder text = new StringBuilder("\n-- step " + replied.step() + " --\n");
    if (!replied.text().isBlank()) {
      text.append(replied.text().strip()).append('\n');
    }
    replied
        .calls()
        .forEach(
            call ->
                text.append("> ")
                    .append(call.name())
                    .append(' ')
                    .append(shown(call.arguments()))
                    .append('\n'));
    return text.toString();
  }

  private static String answered(ToolCall call, ToolResult result) {
    String images =
        result.images().isEmpty() ? "" : "(%d images)\n".formatted(result.images().size());
    return "< %s%s\n%s\n%s"
        .formatted(call.name(), result.error() ? " failed" : "", shown(result.text()), images);
  }

  private static String shown(String text) {
    return text.length() <= SHOWN
        ? text.strip()
        : text.substring(0, SHOWN) + "… (%,d characters)".formatted(text.length());
  }
}
