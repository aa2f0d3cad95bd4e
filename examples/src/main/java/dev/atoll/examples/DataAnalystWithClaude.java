package dev.atoll.examples;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.models.messages.ContentBlock;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.StopReason;
import com.anthropic.models.messages.TextBlock;
import dev.atoll.agents.anthropic.AnthropicTools;
import dev.atoll.agents.tools.SandboxTools;
import dev.atoll.model.NetworkMode;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.time.Duration;
import java.util.stream.Collectors;

/** A data analyst: Claude with the tool {@code run_code}, the loop written out. */
final class DataAnalystWithClaude {
  static final String QUESTION =
      "I have a list of numbers: [4, 8, 15, 16, 23, 42]. What is the mean, median, and standard"
          + " deviation? Tell me if the distribution looks normal.";

  private DataAnalystWithClaude() {}

  static String answer(Atoll atoll, AnthropicClient client, String model) {
    // One sandbox for the whole conversation, without network, gone after ten minutes at most.
    try (Sandbox sandbox =
        atoll
            .sandboxes()
            .create(s -> s.memoryMiB(512).ttl(Duration.ofMinutes(10)).network(NetworkMode.NONE))) {
      AnthropicTools tools = AnthropicTools.of(SandboxTools.of(sandbox).only("run_code"));
      MessageCreateParams.Builder conversation =
          MessageCreateParams.builder()
              .model(model)
              .maxTokens(4096)
              .system("You are a data analysis assistant. Compute with run_code, never guess.")
              .tools(tools.definitions())
              .addUserMessage(QUESTION);
      Message reply = client.messages().create(conversation.build());
      while (reply.stopReason().filter(StopReason.TOOL_USE::equals).isPresent()) {
        conversation.addMessage(reply).addMessage(tools.results(reply));
        reply = client.messages().create(conversation.build());
      }
      return reply.content().stream()
          .flatMap((ContentBlock block) -> block.text().stream())
          .map(TextBlock::text)
          .collect(Collectors.joining());
    }
  }

  public static void main(String[] args) {
    System.out.println(answer(Atoll.connect(), AnthropicOkHttpClient.fromEnv(), "claude-opus-4-5"));
  }
}
