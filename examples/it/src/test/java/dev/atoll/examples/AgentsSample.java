package dev.atoll.examples;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.StopReason;
import com.openai.client.OpenAIClient;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionMessage;
import dev.atoll.agents.AgentSession;
import dev.atoll.agents.BranchOutcome;
import dev.atoll.agents.Budget;
import dev.atoll.agents.CodeAgent;
import dev.atoll.agents.Model;
import dev.atoll.agents.Outcome;
import dev.atoll.agents.Transcript;
import dev.atoll.agents.anthropic.AnthropicModel;
import dev.atoll.agents.anthropic.AnthropicTools;
import dev.atoll.agents.openai.OpenAiTools;
import dev.atoll.agents.tools.SandboxTools;
import dev.atoll.agents.tools.ToolResult;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The code of docs/agents.md and of README.md about agents; AgentsDocumentTest compares them. */
final class AgentsSample {
  private AgentsSample() {}

  static void agent() {
    // sample: agent
    Model model = AnthropicModel.ofEnvironment(System.getenv()).orElseThrow(); // ANTHROPIC_API_KEY
    CodeAgent agent =
        CodeAgent.builder(model).sandboxes(Atoll.connect(), s -> s.template("python")).build();
    System.out.println(agent.run("What is the 30th Fibonacci number?").answer()); // 832040
    // end
  }

  static void session(CodeAgent agent) {
    // sample: session
    try (AgentSession session = agent.open()) {
      session.ask("Load sales.csv into a variable.");
      Outcome outcome = session.ask("Which month was best?"); // the variable is still there
      System.out.println(outcome.end() + ": " + outcome.answer());
    }
    // end
  }

  static void branch(AgentSession session, List<String> ways) {
    // sample: branch
    BranchOutcome branches =
        session.branch(
            ways.size(),
            branch -> "Fit a model to the data by " + ways.get(branch - 1),
            (outcome, workspace) -> -outcome.failedCalls());
    System.out.println("went on as branch " + branches.winner());
    // end
  }

  static void settings(Model model, Atoll atoll) {
    // sample: settings
    CodeAgent agent =
        CodeAgent.builder(model)
            .sandboxes(atoll, s -> s.memoryMiB(512).ttl(Duration.ofMinutes(10)))
            .budget(new Budget(20, 200_000, Duration.ofMinutes(5)))
            .transcript(Path.of("transcript.jsonl"))
            .listener(event -> System.out.println(event))
            .build();
    // end
    agent.run("x");
  }

  static void replay(Atoll atoll) {
    // sample: replay
    Transcript transcript = Transcript.read(Path.of("transcript.jsonl"));
    System.out.println(transcript.text());
    CodeAgent again = CodeAgent.builder(transcript.replay()).sandboxes(atoll, s -> {}).build();
    // end
    again.run("x");
  }

  static void tools(Atoll atoll) {
    // sample: tools
    try (Sandbox sandbox = atoll.sandboxes().create();
        SandboxTools tools = SandboxTools.of(sandbox)) {
      ToolResult result = tools.call("run_code", "{\"code\": \"print(6 * 7)\"}");
      System.out.println(result.text()); // 42
    }
    // end
  }

  static void anthropic(SandboxTools sandboxTools) {
    // sample: anthropic
    AnthropicClient client = AnthropicOkHttpClient.fromEnv();
    AnthropicTools tools = AnthropicTools.of(sandboxTools);
    MessageCreateParams.Builder conversation =
        MessageCreateParams.builder()
            .model("claude-sonnet-4-5")
            .maxTokens(4096)
            .tools(tools.definitions())
            .addUserMessage("How many primes are below 1000?");
    Message reply = client.messages().create(conversation.build());
    while (reply.stopReason().filter(StopReason.TOOL_USE::equals).isPresent()) {
      conversation.addMessage(reply).addMessage(tools.results(reply));
      reply = client.messages().create(conversation.build());
    }
    // end
  }

  static void openAi(
      OpenAIClient client,
      ChatCompletionCreateParams.Builder conversation,
      SandboxTools sandboxTools) {
    // sample: openai
    OpenAiTools tools = OpenAiTools.of(sandboxTools);
    conversation.tools(tools.chatTools());
    ChatCompletionMessage message =
        client.chat().completions().create(conversation.build()).choices().get(0).message();
    conversation.addMessage(message);
    tools.chatAnswers(message).forEach(conversation::addMessage);
    // end
  }
}
