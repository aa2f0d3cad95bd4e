package dev.atoll.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Code for a language context, which keeps its variables from one request to the next.
 *
 * @param language name or alias as in {@link Language}; by default that of the sandbox, which is
 *     {@code python} unless its template says otherwise
 * @param context name of the context; without it the one named {@code default} or, when another
 *     language is asked for, like the language. It is opened when first used
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
    Check.that(code.indexOf('\0') < 0, "code", "must not hold a NUL character");
    language = language == null ? null : Language.of(language).name();
    Check.range("timeoutSeconds", timeoutSeconds, 0.01, 86_400);
    Check.range("maxOutputBytes", maxOutputBytes, 0, 1L << 30);
    if (context != null) {
      ContextSpec.checkName(context);
    }
    env = env == null ? null : Check.environment("env", env);
  }

  /** Code in the default context with the default limits. */
  public static RunCodeRequest python(String code) {
    return new RunCodeRequest(code, null, null, null, null, null);
  }
}
