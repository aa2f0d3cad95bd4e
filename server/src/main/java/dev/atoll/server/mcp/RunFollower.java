package dev.atoll.server.mcp;

import dev.atoll.engine.Run;
import dev.atoll.engine.RunEvents;
import dev.atoll.model.MimeBundle;
import dev.atoll.model.RunError;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import io.modelcontextprotocol.spec.McpSchema;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Follows a run to its end: tells its output as progress, stops it when the call is cancelled. */
final class RunFollower {
  private static final Duration HEARTBEAT = Duration.ofSeconds(10);
  private static final int MOST_PROGRESS = 2000;

  private RunFollower() {}

  /** The fields of an answer about a run. */
  static Schema output() {
    return Schema.object()
        .text("sandbox", "where it ran")
        .text("status", "ok, error, timeout, cancelled or another reason for its end")
        .integer("exit_code", "as a shell reports it")
        .text("stdout", "standard output")
        .text("stderr", "standard error")
        .text("result", "the value of the last expression, as text")
        .text("error", "the exception with its traceback")
        .text("message", "what else is to be known about the end")
        .integer("duration_ms", "how long it took")
        .integer("images", "how many images the content has")
        .requiring("sandbox", "status", "exit_code", "stdout", "stderr", "duration_ms", "images");
  }

  static ToolAnswer follow(ToolRequest request, String sandbox, Run run) {
    watch(request, run);
    RunResult result = run.result();
    String stdout = Shortened.middle(result.stdout());
    String stderr = Shortened.middle(result.stderr());
    RunError error = result.error();
    String traceback = error == null ? null : traceback(error);
    ToolAnswer answer = ToolAnswer.of(readable(result, stdout, stderr, traceback));
    int images = 0;
    for (MimeBundle shown : result.shown()) {
      Optional<McpSchema.Content> image = image(shown);
      image.ifPresent(answer::content);
      images += image.isPresent() ? 1 : 0;
    }
    return answer
        .failed(!result.ok())
        .with("sandbox", sandbox)
        .with("status", result.status().wire())
        .with("exit_code", result.exitCode())
        .with("stdout", stdout)
        .with("stderr", stderr)
        .with("result", shortened(result.text().orElse(null)))
        .with("error", traceback)
        .with("message", result.message())
        .with("duration_ms", result.durationMillis())
        .with("images", images);
  }

  /** Waits for the end, and gives the last event of a kind that is of interest besides it. */
  static RunEvent.@Nullable Packages watch(ToolRequest request, Run run) {
    RunEvent.Packages packages = null;
    try (McpCall.Scope _ = request.call().onCancel(run::cancel);
        RunEvents events = run.events(0)) {
      while (!events.ended()) {
        RunEvent event = events.next(HEARTBEAT);
        switch (event) {
          case null -> request.progress(events.ended() ? "done" : "still running");
          case RunEvent.Output output when output.text() != null ->
              request.progress(burst(events, output.text()));
          case RunEvent.Packages told -> packages = told;
          default -> {}
        }
      }
    }
    return packages;
  }

  private static String burst(RunEvents events, String first) {
    return first.length() <= MOST_PROGRESS
        ? first
        : first.substring(0, MOST_PROGRESS) + (events.ended() ? "" : " …");
  }

  private static String readable(
      RunResult result, String stdout, String stderr, @Nullable String traceback) {
    StringBuilder text = new StringBuilder(stdout);
    part(text, "stderr", stderr);
    part(text, "result", shortened(result.text().orElse(null)));
    part(text, "error", traceback);
    if (!result.ok()) {
      String message = result.message() == null ? "" : ": " + result.message();
      String status = result.status().wire();
      part(text, "end", "%s, exit code %d%s".formatted(status, result.exitCode(), message));
    }
    return text.isEmpty() ? "(no output)" : text.toString();
  }

  private static void part(StringBuilder text, String name, @Nullable String content) {
    if (content != null && !content.isEmpty()) {
      String gap = text.isEmpty() || text.charAt(text.length() - 1) == '\n' ? "" : "\n";
      text.append(gap).append('[').append(name).append("]\n").append(content);
    }
  }

  private static String traceback(RunError error) {
    String lines = String.join("\n", error.traceback());
    return Shortened.middle(lines.isEmpty() ? error.summary() : lines);
  }

  private static @Nullable String shortened(@Nullable String text) {
    return text == null ? null : Shortened.middle(text);
  }

  private static Optional<McpSchema.Content> image(MimeBundle shown) {
    return shown
        .png()
        .map(bytes -> image(bytes, "image/png"))
        .or(() -> shown.jpeg().map(bytes -> image(bytes, "image/jpeg")));
  }

  static McpSchema.Content image(byte[] bytes, String type) {
    return McpSchema.ImageContent.builder(Base64.getEncoder().encodeToString(bytes), type).build();
  }
}
