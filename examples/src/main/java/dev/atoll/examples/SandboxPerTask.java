package dev.atoll.examples;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import dev.atoll.agents.CodeAgent;
import dev.atoll.agents.Model;
import dev.atoll.agents.anthropic.AnthropicModel;
import dev.atoll.sdk.Atoll;
import java.time.Duration;
import java.util.List;

/**
 * A sandbox for each task: nothing of one is seen by the next. It is ended when the task is done;
 * its ttl is the backstop if this program dies before.
 */
final class SandboxPerTask {
  static final List<String> QUESTIONS =
      List.of("What is the 30th Fibonacci number? Compute it, don't guess.", "Is `fib` defined?");

  private SandboxPerTask() {}

  static List<String> answers(Atoll atoll, Model model) {
    CodeAgent agent =
        CodeAgent.builder(model).sandboxes(atoll, s -> s.ttl(Duration.ofMinutes(10))).build();
    return QUESTIONS.stream().map(question -> agent.run(question).answer()).toList();
  }

  public static void main(String[] args) {
    AnthropicClient client = AnthropicOkHttpClient.fromEnv();
    Model model = AnthropicModel.of(client, AnthropicModel.DEFAULT_MODEL, 4096);
    answers(Atoll.connect(), model).forEach(System.out::println);
  }
}
