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
 * @param detached whether it goes on when its caller hangs up
 * @param reconnectSeconds for how long it goes on when the caller's connection has broken, so that
 *     he can follow it again; none by default
 * @param id an id of the caller's own for the run; a request with the id of a run that is there
 *     gives that one
 * @param whenBusy what happens when the context executes something else; it waits by default
 * @param answersInput whether the caller answers what the code asks; without it code that asks
 *     fails at once
 */
public record RunCodeRequest(
    String code,
    @Nullable String language,
    @Nullable String context,
    @Nullable Map<String, String> env,
    @Nullable Double timeoutSeconds,
    @Nullable Long maxOutputBytes,
    @Nullable Boolean detached,
    @Nullable Double reconnectSeconds,
    @Nullable String id,
    @Nullable WhenBusy whenBusy,
    @Nullable Boolean answersInput) {
  private static final String ID = "[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}";
  private static final String OWN_PREFIX = "run_";
  private static final int MOST_RECONNECT_SECONDS = 3600;

  public RunCodeRequest {
    Check.that(code != null, "code", "must be given");
    Check.that(code.indexOf('\0') < 0, "code", "must not hold a NUL character");
    language = language == null ? null : Language.of(language).name();
    Check.range("timeoutSeconds", timeoutSeconds, 0.01, 86_400);
    Check.range("maxOutputBytes", maxOutputBytes, 0, 1L << 30);
    checkFollowing(detached, reconnectSeconds);
    checkId(id);
    if (context != null) {
      ContextSpec.checkName(context);
    }
    env = env == null ? null : Check.environment("env", env);
  }

  static void checkId(@Nullable String id) {
    if (id != null) {
      Check.that(id.matches(ID), "id", "must match " + ID);
      Check.that(!id.startsWith(OWN_PREFIX), "id", "must not begin with " + OWN_PREFIX);
    }
  }

  static void checkFollowing(@Nullable Boolean detached, @Nullable Double reconnectSeconds) {
    Check.range("reconnectSeconds", reconnectSeconds, 0, MOST_RECONNECT_SECONDS);
    Check.that(
        reconnectSeconds == null || !Boolean.TRUE.equals(detached),
        "reconnectSeconds",
        "is not for what is detached");
  }

  /** Code that says nothing of what happens when its caller hangs up. */
  public RunCodeRequest(
      String code,
      @Nullable String language,
      @Nullable String context,
      @Nullable Map<String, String> env,
      @Nullable Double timeoutSeconds,
      @Nullable Long maxOutputBytes) {
    this(
        code, language, context, env, timeoutSeconds, maxOutputBytes, null, null, null, null, null);
  }

  /** The same by a caller who answers what the code asks. */
  public RunCodeRequest answered() {
    return new RunCodeRequest(
        code,
        language,
        context,
        env,
        timeoutSeconds,
        maxOutputBytes,
        detached,
        reconnectSeconds,
        id,
        whenBusy,
        true);
  }

  /** The same for a caller who waits for it: it ends when he hangs up, unless it is detached. */
  public RunCodeRequest followed() {
    return followed(0);
  }

  /** The same with so much time to come back, if nothing is said of that yet. */
  public RunCodeRequest followed(double seconds) {
    boolean said = reconnectSeconds != null || Boolean.TRUE.equals(detached);
    return said
        ? this
        : new RunCodeRequest(
            code,
            language,
            context,
            env,
            timeoutSeconds,
            maxOutputBytes,
            detached,
            seconds,
            id,
            whenBusy,
            answersInput);
  }

  /** Code in the default context with the default limits. */
  public static RunCodeRequest python(String code) {
    return new RunCodeRequest(code, null, null, null, null, null);
  }
}
