package dev.atoll.agents.springai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.agents.tools.FakeWorkspace;
import dev.atoll.agents.tools.SandboxTools;
import dev.atoll.examples.scripted.Script;
import dev.atoll.examples.scripted.ScriptedModel;
import dev.atoll.examples.scripted.Turn;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.openai.OpenAiChatModel;
import org.springframework.ai.openai.OpenAiChatOptions;

/** With Spring AI's real chat client, against a scripted model on loopback. */
class AtollToolCallbacksTest {
  private final SandboxTools tools = SandboxTools.of(new FakeWorkspace());

  @Test
  void aChatClientUsesTheTools() throws IOException {
    try (ScriptedModel scripted =
        ScriptedModel.start(
            Script.of(
                "six times seven",
                Turn.code("", "raise NameError"),
                Turn.code("", "print 42"),
                Turn.say("It is {output}.")))) {
      OpenAiChatModel model =
          OpenAiChatModel.builder()
              .options(
                  OpenAiChatOptions.builder()
                      .baseUrl(scripted.openAiUrl())
                      .apiKey("no-key")
                      .model("scripted")
                      .build())
              .build();
      String answer =
          ChatClient.create(model)
              .prompt("What is six times seven?")
              .tools(AtollToolCallbacks.of(tools))
              .call()
              .content();
      assertThat(answer).contains("It is").contains("42");
      assertThat(scripted.requests().get(1).toString()).contains("NameError");
    }
  }
}
