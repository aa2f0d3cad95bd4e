package dev.atoll.agents.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.agents.tools.FakeWorkspace;
import dev.atoll.agents.tools.SandboxTools;
import dev.atoll.examples.scripted.Script;
import dev.atoll.examples.scripted.ScriptedModel;
import dev.atoll.examples.scripted.Turn;
import dev.langchain4j.model.anthropic.AnthropicChatModel;
import dev.langchain4j.service.AiServices;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** With LangChain4j's real AI services, against a scripted model on loopback. */
class AtollToolProviderTest {
  private final SandboxTools tools = SandboxTools.of(new FakeWorkspace());

  interface Assistant {
    String chat(String text);
  }

  @Test
  void anAiServiceUsesTheTools() throws IOException {
    try (ScriptedModel scripted =
        ScriptedModel.start(
            Script.of(
                "six times seven",
                Turn.code("", "raise NameError"),
                Turn.code("", "print 42"),
                Turn.say("It is {output}.")))) {
      Assistant assistant =
          AiServices.builder(Assistant.class)
              .chatModel(
                  AnthropicChatModel.builder()
                      .baseUrl(scripted.openAiUrl())
                      .apiKey("no-key")
                      .modelName("scripted")
                      .build())
              .toolProvider(AtollToolProvider.of(tools))
              .build();
      assertThat(assistant.chat("What is six times seven?")).isEqualTo("It is 42.");
      assertThat(scripted.requests().get(0).path("tools").toString())
          .contains("\"code\":{\"type\":\"string\"", "\"required\":[\"code\"]");
      assertThat(scripted.requests().get(1).toString()).contains("NameError");
    }
  }

  @Test
  void codeAloneRuns() {
    assertThat(AtollCodeExecutionEngine.of(tools).execute("print \"hi\"")).isEqualTo("\"hi\"");
  }
}
