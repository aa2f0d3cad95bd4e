package dev.atoll.agents;

import dev.atoll.agents.tools.Content;
import dev.atoll.agents.tools.ToolCall;
import dev.atoll.agents.tools.ToolResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Notices a model that does the same failing thing over and over, and tells it so. */
final class Repetitions {
  private static final int TOO_OFTEN = 3;

  private final Map<String, Integer> failures = new HashMap<>();

  ToolResult noticed(ToolCall call, ToolResult result) {
    if (!result.error()) {
      return result;
    }
    String key = call.name() + "\n" + Recorder.bounded(call).arguments();
    int times = failures.merge(key, 1, Integer::sum);
    if (times < TOO_OFTEN) {
      return result;
    }
    List<Content> content = new ArrayList<>(result.content());
    content.add(
        new Content.Text(
            "[This very call has failed %d times. Try something else, or say what is in the way.]"
                .formatted(times)));
    return new ToolResult(content, true);
  }
}
