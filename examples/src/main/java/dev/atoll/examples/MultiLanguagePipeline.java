package dev.atoll.examples;

import dev.atoll.agents.CodeAgent;
import dev.atoll.agents.Model;
import dev.atoll.agents.openai.OpenAiChatModel;
import dev.atoll.sdk.Atoll;

/** Bash to look at a file, Python to analyse it, JSON as the outcome, in one sandbox. */
final class MultiLanguagePipeline {
  static final String QUESTION =
      "Write three lines of text to notes.txt with Bash, count their words with Python, and give"
          + " me the result as JSON.";

  private MultiLanguagePipeline() {}

  static String answer(Atoll atoll, Model model) {
    return CodeAgent.builder(model)
        .sandboxes(atoll, s -> s.template("python"))
        .build()
        .run(QUESTION)
        .answer();
  }

  public static void main(String[] args) {
    Model model =
        OpenAiChatModel.ofEnvironment(System.getenv())
            .orElseThrow(() -> new MissingKey("OPENAI_API_KEY"));
    System.out.println(answer(Atoll.connect(), model));
  }
}
