package dev.atoll.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A program to run. Exactly one of {@code argv} and {@code shell} is given.
 *
 * @param argv program and arguments, executed as they are
 * @param shell a command line for {@code /bin/sh -c}, or bash where there is one
 * @param cwd the user's home by default
 * @param user the sandbox's own user by default; {@code root} only where the template allows it
 * @param stdin text for its standard input, which then ends
 * @param openStdin keeps standard input open for later writes; only for background processes
 * @param pty gives it a terminal; only for background processes
 * @param timeoutSeconds after that its whole process tree is killed
 * @param maxOutputBytes how much of its output is delivered; the rest is dropped and counted
 * @param name a label to find the process by
 * @param detached whether it goes on when its caller hangs up; a background process does unless
 *     {@code reconnectSeconds} is given
 * @param reconnectSeconds for how long it goes on when the caller's connection has broken, so that
 *     he can follow it again; none by default
 * @param id an id of the caller's own for the run; a request with the id of a run that is there
 *     gives that one
 */
public record CommandRequest(
    @Nullable List<String> argv,
    @Nullable String shell,
    @Nullable String cwd,
    @Nullable Map<String, String> env,
    @Nullable String user,
    @Nullable String stdin,
    @Nullable Boolean openStdin,
    @Nullable TerminalSize pty,
    @Nullable Double timeoutSeconds,
    @Nullable Long maxOutputBytes,
    @Nullable String name,
    @Nullable Boolean detached,
    @Nullable Double reconnectSeconds,
    @Nullable String id) {
  public CommandRequest {
    Check.that((argv == null) != (shell == null), "argv", "or shell must be given, and not both");
    if (argv != null) {
      Check.that(!argv.isEmpty() && argv.size() <= 4096, "argv", "must have 1 to 4096 entries");
      Check.that(
          argv.stream().allMatch(a -> a != null && a.indexOf(0) < 0),
          "argv",
          "must not hold null or NUL");
      Check.that(!argv.get(0).isEmpty(), "argv", "must start with a program");
      argv = List.copyOf(argv);
    }
    if (shell != null) {
      Check.that(
          !shell.isBlank() && shell.indexOf(0) < 0, "shell", "must not be blank or hold NUL");
    }
    if (cwd != null) {
      Check.path("cwd", cwd);
    }
    if (user != null) {
      Check.that(user.matches("[a-z_][a-z0-9_-]{0,31}"), "user", "is not a user name");
    }
    if (name != null) {
      Check.that(!name.isEmpty() && name.length() <= 64, "name", "must have 1 to 64 characters");
    }
    Check.that(stdin == null || pty == null, "stdin", "cannot be given together with pty");
    Check.range("timeoutSeconds", timeoutSeconds, 0.01, 86_400);
    Check.range("maxOutputBytes", maxOutputBytes, 0, 1L << 30);
    RunCodeRequest.checkFollowing(detached, reconnectSeconds);
    RunCodeRequest.checkId(id);
    env = env == null ? null : Check.environment("env", env);
  }

  /** A program that says nothing of what happens when its caller hangs up. */
  public CommandRequest(
      @Nullable List<String> argv,
      @Nullable String shell,
      @Nullable String cwd,
      @Nullable Map<String, String> env,
      @Nullable String user,
      @Nullable String stdin,
      @Nullable Boolean openStdin,
      @Nullable TerminalSize pty,
      @Nullable Double timeoutSeconds,
      @Nullable Long maxOutputBytes,
      @Nullable String name) {
    this(
        argv,
        shell,
        cwd,
        env,
        user,
        stdin,
        openStdin,
        pty,
        timeoutSeconds,
        maxOutputBytes,
        name,
        null,
        null,
        null);
  }

  /** The same for a caller who waits for it: it ends when he hangs up, unless it is detached. */
  public CommandRequest followed() {
    return followed(0);
  }

  /** The same with so much time to come back, if nothing is said of that yet. */
  public CommandRequest followed(double seconds) {
    boolean said = reconnectSeconds != null || Boolean.TRUE.equals(detached);
    return said
        ? this
        : new CommandRequest(
            argv,
            shell,
            cwd,
            env,
            user,
            stdin,
            openStdin,
            pty,
            timeoutSeconds,
            maxOutputBytes,
            name,
            detached,
            seconds,
            id);
  }

  /** A shell command line with the default limits. */
  public static CommandRequest shell(String command) {
    return new CommandRequest(null, command, null, null, null, null, null, null, null, null, null);
  }

  /** A program and its arguments with the default limits. */
  public static CommandRequest argv(List<String> argv) {
    return new CommandRequest(argv, null, null, null, null, null, null, null, null, null, null);
  }
}
