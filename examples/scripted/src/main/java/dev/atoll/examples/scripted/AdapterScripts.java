package dev.atoll.examples.scripted;

import java.util.Map;

/**
 * What every adapter is tried with, in the language of the tests' workspace: a task, two calls at
 * once, and a hostile model.
 */
public final class AdapterScripts {
  private static final int MUCH = 10_000_000;

  private AdapterScripts() {}

  /** The scripts; the first reply fails with that status. */
  public static Script[] all(int overload) {
    return new Script[] {
      Script.of(
          "six times seven",
          Turn.failure(overload),
          Turn.code("Let me compute.", "print 42"),
          Turn.say("It is {output}.")),
      Script.of(
          "at once",
          Turn.say("")
              .andCall("run_shell", Map.of("command", "meet"))
              .andCall("run_shell", Map.of("command", "meet")),
          Turn.say("{output}")),
      Script.of(
          "hostile",
          Turn.say("").andCall("run_code", "this is { not JSON"),
          Turn.say("").andCall("run_code", "{\"code\": 7}"),
          Turn.say("").andCall("run_code", "{\"code\": \"" + "a".repeat(MUCH) + "\"}"),
          Turn.say("").andCall("unknown_tool", "{}"),
          Turn.code("again", "raise Again"))
    };
  }
}
