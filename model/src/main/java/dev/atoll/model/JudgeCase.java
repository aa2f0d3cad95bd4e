package dev.atoll.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One run of a program that is judged. What is left out is taken from the request.
 *
 * @param name for people; its number from 1 when left out
 * @param stdin text for its standard input, which then ends
 * @param expectedOutput what it should print; anything will do when left out
 * @param args its arguments
 * @param match when its output is taken for the expected one
 * @param tolerance by how much two numbers may differ, see {@link JudgeRequest}
 * @param timeLimitSeconds processor time
 * @param memoryLimitMiB memory of all its processes at a time
 */
public record JudgeCase(
    @Nullable String name,
    @Nullable String stdin,
    @Nullable String expectedOutput,
    @Nullable List<String> args,
    @Nullable OutputMatch match,
    @Nullable Double tolerance,
    @Nullable Double timeLimitSeconds,
    @Nullable Integer memoryLimitMiB) {
  public JudgeCase {
    if (name != null) {
      Check.that(!name.isEmpty() && name.length() <= 256, "name", "must have 1 to 256 characters");
    }
    args = ProgramFiles.arguments(args);
    JudgeRequest.checkLimits(match, tolerance, timeLimitSeconds, memoryLimitMiB);
  }

  /** Input and expected output, with everything else as the request says. */
  public static JudgeCase of(String stdin, String expectedOutput) {
    return new JudgeCase(null, stdin, expectedOutput, null, null, null, null, null);
  }
}
