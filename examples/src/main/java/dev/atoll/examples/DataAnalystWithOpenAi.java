package dev.atoll.examples;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionMessage;
import dev.atoll.agents.openai.OpenAiTools;
import dev.atoll.agents.tools.SandboxTools;
import dev.atoll.model.NetworkMode;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.time.Duration;

/** A data analyst: function calling of OpenAI's chat completions, the loop written out. */
final class DataAnalystWithOpenAi {
  static final String QUESTION =
      "Using only Python stdlib, generate sample monthly revenue and cost data for the last 12"
          + " months (seed 42). Then print which month had the best and worst margin.";

  private DataAnalystWithOpenAi() {}

  static String answer(Atoll atoll, OpenAIClient client, String model) {
    try (Sandbox sandbox =
        atoll
            .sandboxes()
            .create(s -> s.memoryMiB(512).ttl(Duration.ofMinutes(10)).network(NetworkMode.NONE))) {
      OpenAiTools tools = OpenAiTools.of(SandboxTools.of(sandbox).only("run_code"));
      ChatCompletionCreateParams.Builder conversation =
          ChatCompletionCreateParams.builder()
              .model(model)
              .tools(tools.chatTools())
              .addSystemMessage("You are a data analysis assistant. Always use run_code.")
              .addUserMessage(QUESTION);
      ChatCompletionMessage message = ask(client, conversation);
      while (!message.toolCalls().isEmpty()) {
        conversation.addMessage(message);
        tools.chatAnswers(message).forEach(conversation::addMessage);
        message = ask(client, conversation);
      }
      return message.content().orElse("");
    }
  }

  private static ChatCompletionMessage ask(
      OpenAIClient client, ChatCompletionCreateParams.Builder conversation) {
    return client.chat().completions().create(conversation.build()).choices().get(0).message();
  }

  public static void main(String[] args) {
    System.out.println(answer(Atoll.connect(), OpenAIOkHttpClient.fromEnv(), "gpt-5.1"));
  }
}
