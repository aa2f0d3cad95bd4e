package dev.atoll.examples.scripted;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/**
 * One reply of a script.
 *
 * @param text in which {@code {output}} stands for the output of the last tool
 * @param status other than 200 for a failure, which is given once; then the next turn's place is
 *     asked again
 */
public record Turn(String text, List<Call> calls, int status) {
  private static final JsonMapper JSON = JsonMapper.shared();

  /** A call of a tool; the arguments are sent as they are, JSON or not. */
  public record Call(String name, String arguments) {}

  /** Copies. */
  public Turn {
    calls = List.copyOf(calls);
  }

  /** Says something. */
  public static Turn say(String text) {
    return new Turn(text, List.of(), 200);
  }

  /** Says something and runs code. */
  public static Turn code(String text, String code) {
    return say(text).andCall("run_code", Map.of("code", code));
  }

  /** Fails once with an HTTP status, such as 529 for overload. */
  public static Turn failure(int status) {
    return new Turn("", List.of(), status);
  }

  /** The same, and a call besides. */
  public Turn andCall(String name, Map<String, Object> arguments) {
    return andCall(name, JSON.writeValueAsString(arguments));
  }

  /** The same, and a call with arguments as they stand. */
  public Turn andCall(String name, String arguments) {
    List<Call> more = new ArrayList<>(calls);
    more.add(new Call(name, arguments));
    return new Turn(text, more, status);
  }

  Turn quoting(String output) {
    return new Turn(text.replace("{output}", output.strip()), calls, status);
  }
}
