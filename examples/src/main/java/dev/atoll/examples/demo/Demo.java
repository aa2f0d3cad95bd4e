package dev.atoll.examples.demo;

import dev.atoll.agents.AgentEvent;
import dev.atoll.agents.AgentSession;
import dev.atoll.agents.BranchOutcome;
import dev.atoll.agents.CodeAgent;
import dev.atoll.agents.Model;
import dev.atoll.agents.ModelSettings;
import dev.atoll.agents.Outcome;
import dev.atoll.agents.Scorer;
import dev.atoll.agents.anthropic.AnthropicModel;
import dev.atoll.agents.openai.OpenAiChatModel;
import dev.atoll.agents.openai.OpenAiResponsesModel;
import dev.atoll.agents.tools.OutputListener;
import dev.atoll.examples.scripted.ScriptedModel;
import dev.atoll.model.AtollException;
import dev.atoll.model.Json;
import dev.atoll.sdk.Atoll;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An agent at work, from beginning to end: it writes code, reads its own traceback, tries three
 * ways in forks of its sandbox, and goes on in the best. The sandbox is real; the model is real if
 * there is a key in the environment, and scripted otherwise.
 */
public final class Demo {
  private static final int BRANCHES = 3;

  private final DemoOptions options;
  private final PrintStream out;

  private Demo(DemoOptions options, PrintStream out) {
    this.options = options;
    this.out = out;
  }

  /** Runs it; exits with 0 if the agent came to its answers. */
  public static void main(String[] args) throws IOException {
    System.exit(run(List.of(args), System.getenv(), System.out, System.err));
  }

  static int run(
      List<String> args, Map<String, String> environment, PrintStream out, PrintStream err)
      throws IOException {
    try {
      Demo demo = new Demo(DemoOptions.parse(args), out);
      Atoll atoll = Atoll.builder().environment(environment).build();
      Optional<Model> real = real(environment);
      if (real.isPresent()) {
        demo.say("The model is the one that your key is for, and so is the sandbox: real.");
        return demo.show(atoll, real.get()) ? 0 : 1;
      }
      demo.say(
          "The model is scripted: neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set. It speaks"
              + " the real wire format on loopback; the sandbox is real.");
      try (ScriptedModel scripted = ScriptedModel.start(DemoScript.scripts())) {
        return demo.show(atoll, scripted(demo.options.format(), scripted)) ? 0 : 1;
      }
    } catch (DemoOptions.Misused e) {
      err.println("atoll: " + e.getMessage());
      return 2;
    } catch (AtollException e) {
      err.println("atoll: " + e.getMessage() + (e.hint() == null ? "" : "; " + e.hint()));
      return 1;
    }
  }

  private static Optional<Model> real(Map<String, String> environment) {
    return AnthropicModel.ofEnvironment(environment)
        .map(model -> (Model) model)
        .or(() -> OpenAiChatModel.ofEnvironment(environment).map(model -> (Model) model));
  }

  private static Model scripted(DemoOptions.Format format, ScriptedModel model) {
    ModelSettings settings = ModelSettings.of("no-key", "scripted");
    return switch (format) {
      case ANTHROPIC -> AnthropicModel.of(settings.at(model.url()));
      case OPENAI -> OpenAiChatModel.of(settings.at(model.openAiUrl()));
      case RESPONSES -> OpenAiResponsesModel.of(settings.at(model.openAiUrl()));
    };
  }

  private boolean show(Atoll atoll, Model model) {
    CodeAgent agent =
        CodeAgent.builder(model)
            .sandboxes(atoll, s -> s.template("python").ttl(Duration.ofMinutes(15)))
            .listener(options.json() ? this::printJson : new DemoPrinter(out))
            .build();
    try (AgentSession session = agent.open()) {
      // Ctrl-C: the sandbox should be gone with the program, and not only after its ttl.
      Runtime.getRuntime().addShutdownHook(new Thread(session::close));
      boolean done = tell(session);
      say("\nThe sandbox is ended with the session; nothing of it is left.");
      return done;
    }
  }

  private static boolean tell(AgentSession session) {
    Outcome loaded = session.ask(DemoScript.LOAD);
    if (!loaded.answered()) {
      return false;
    }
    BranchOutcome branches = session.branch(BRANCHES, DemoScript::strategy, smallestError());
    return branches.best().isPresent() && session.ask(DemoScript.NEXT).answered();
  }

  /** Asks the branch's own sandbox, in which the model has put the number. */
  private static Scorer smallestError() {
    return (outcome, workspace) -> {
      String printed =
          workspace
              .runCode("print(float(error))", null, Duration.ofSeconds(30), OutputListener.NONE)
              .stdout()
              .strip();
      try {
        return -Double.parseDouble(printed);
      } catch (NumberFormatException e) {
        return Double.NaN; // a real model may have forgotten it
      }
    };
  }

  private void say(String text) {
    if (!options.json()) {
      out.println(text);
    }
  }

  private void printJson(AgentEvent event) {
    if (event.kept()) {
      out.println(Json.lenient().writeValueAsString(event));
    }
  }
}
