package dev.atoll.examples;

import dev.atoll.agents.Message;
import dev.atoll.agents.Model;
import dev.atoll.agents.Prompt;
import dev.atoll.agents.openai.OpenAiChatModel;
import dev.atoll.model.JudgeResult;
import dev.atoll.sdk.Atoll;
import java.util.List;

/** The model writes a program, cases decide whether it is right; no comparing of strings here. */
final class AutoGrader {
  static final String TASK =
      "Write a Python program that reads two integers from standard input and prints their sum."
          + " Reply with the code alone.";

  private AutoGrader() {}

  static JudgeResult grade(Atoll atoll, Model model) {
    Prompt prompt = new Prompt("You write programs.", List.of(new Message.User(TASK)), List.of());
    String code = model.reply(prompt, text -> {}).text();
    return atoll.judge(
        "python", code, j -> j.expect("2 3", "5").expect("-1 1", "0").expect("10 20", "30"));
  }

  public static void main(String[] args) {
    Model model =
        OpenAiChatModel.ofEnvironment(System.getenv())
            .orElseThrow(() -> new MissingKey("OPENAI_API_KEY"));
    JudgeResult result = grade(Atoll.connect(), model);
    System.out.println(result.verdict() + ": " + result.passed() + " of " + result.total());
  }
}
