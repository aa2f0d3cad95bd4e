package dev.atoll.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A program to judge: it is compiled once and run once for each case, each time as if it were the
 * first.
 *
 * @param language one that a template's {@code languages:} table has, or an alias of it as in
 *     {@link Language}
 * @param code the program's main file
 * @param files further files, by their path below the folder that it is compiled and run in
 * @param cases what to try; or else {@code stdin} and {@code expectedOutput} are the only case
 * @param stdin of the only case
 * @param expectedOutput of the only case
 * @param args of all cases that do not say
 * @param env variables of the program
 * @param match {@code trimmed} when left out, {@code numeric} if there is a tolerance
 * @param tolerance two numbers are the same if they differ by no more than that, or by no more than
 *     that part of the expected one; 1e-9 when left out
 * @param timeLimitSeconds processor time of all processes of a run; 2 when left out. A run that
 *     does not use the processor ends after twice that and five seconds
 * @param memoryLimitMiB memory of all processes of a run at a time; 256 when left out
 * @param compileTimeoutSeconds a minute when left out
 * @param maxOutputBytes how much a run may print; 4 MiB when left out
 * @param stopAtFirstFailure leaves out the cases behind the first that is not accepted
 * @param template where to run it, see {@link TemplateReference}; by default one that has the
 *     language
 * @param network what the sandbox may reach; nothing when left out
 */
public record JudgeRequest(
    String language,
    String code,
    @Nullable Map<String, String> files,
    @Nullable List<JudgeCase> cases,
    @Nullable String stdin,
    @Nullable String expectedOutput,
    @Nullable List<String> args,
    @Nullable Map<String, String> env,
    @Nullable OutputMatch match,
    @Nullable Double tolerance,
    @Nullable Double timeLimitSeconds,
    @Nullable Integer memoryLimitMiB,
    @Nullable Double compileTimeoutSeconds,
    @Nullable Long maxOutputBytes,
    @Nullable Boolean stopAtFirstFailure,
    @Nullable String template,
    @Nullable Double cpus,
    @Nullable NetworkPolicy network) {
  private static final int MAX_CASES = 1000;

  public JudgeRequest {
    language = ProgramFiles.language(language);
    Check.that(code != null, "code", "must be given");
    files = ProgramFiles.files(files);
    args = ProgramFiles.arguments(args);
    env = env == null ? null : Check.environment("env", env);
    Check.that(
        cases == null || (stdin == null && expectedOutput == null),
        "cases",
        "cannot be given together with stdin and expectedOutput, which are the only case");
    if (cases != null) {
      Check.that(
          !cases.isEmpty() && cases.size() <= MAX_CASES,
          "cases",
          "must have 1 to " + MAX_CASES + " entries");
      Check.that(cases.stream().allMatch(c -> c != null), "cases", "must not hold null");
      cases = List.copyOf(cases);
    }
    checkLimits(match, tolerance, timeLimitSeconds, memoryLimitMiB);
    Check.range("compileTimeoutSeconds", compileTimeoutSeconds, 0.01, 3600);
    Check.range("maxOutputBytes", maxOutputBytes, 0, 16 << 20);
    if (template != null) {
      TemplateReference.parse(template);
    }
    Check.range("cpus", cpus, 0.1, 64);
  }

  static void checkLimits(
      @Nullable OutputMatch match,
      @Nullable Double tolerance,
      @Nullable Double timeLimitSeconds,
      @Nullable Integer memoryLimitMiB) {
    Check.range("tolerance", tolerance, 0, 1e6);
    Check.that(
        tolerance == null || match == null || match == OutputMatch.NUMERIC,
        "tolerance",
        "makes sense only if match is numeric");
    Check.range("timeLimitSeconds", timeLimitSeconds, 0.01, 3600);
    Check.range("memoryLimitMiB", memoryLimitMiB, 1, 131_072);
  }

  /** The cases, however they were given. */
  public List<JudgeCase> allCases() {
    return cases != null
        ? cases
        : List.of(new JudgeCase(null, stdin, expectedOutput, null, null, null, null, null));
  }
}
