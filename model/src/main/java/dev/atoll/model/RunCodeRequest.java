package dev.atoll.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Code for a language context, which keeps its variables from one request to the next.
 *
 * @param language {@code python} by default
 * @param context name of the context, {@code default} by default; it is opened when first used
 * @param env extra variables for this run alone
 * @param timeoutSeconds after that the run is interrupted, and its processes are killed
 * @param maxOutputBytes how much of stdout and of stderr is delivered; the rest is dropped and
 *     counted
 */
public record RunCodeRequest(
    String code,
    @Nullable String language,
    @Nullable String context,
    @Nullable Map<String, String> env,
    @Nullable Double timeoutSeconds,
    @Nullable Long maxOutputBytes) {
  public RunCodeRequest {
    Check.that(code != null, "code", "must be given");
    Check.range("timeoutSeconds", timeoutSeconds, 0.01, 86_400);
    Check.range("maxOutputBytes", maxOutputBytes, 0, 1L << 30);
    if (context != null) {
      ContextSpec.checkName(context);
    }
    env = env == null ? null : Check.environment("env", env);
  }

  /** Python code in the default context with the default limits. */
  public static RunCodeRequest python(String code) {
    return new RunCodeRequest(code, null, null, null, null, null);
  }
}
