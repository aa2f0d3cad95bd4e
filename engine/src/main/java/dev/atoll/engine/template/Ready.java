package dev.atoll.engine.template;

import com.fasterxml.jackson.annotation.JsonCreator;
import org.jspecify.annotations.Nullable;

/**
 * A command that must succeed before the checkpoint is taken. It is tried again until it does.
 *
 * @param command a line for the shell, run as the template's user
 * @param timeoutSeconds how long it may take to succeed; one minute by default
 */
public record Ready(String command, @Nullable Double timeoutSeconds) {
  private static final double USUAL = 60;
  private static final double MOST = 600;

  public Ready {
    Recipe.check(
        command != null && !command.isBlank() && command.indexOf(0) < 0,
        "ready.command",
        "must be a command");
    Recipe.check(
        timeoutSeconds == null || (timeoutSeconds > 0 && timeoutSeconds <= MOST),
        "ready.timeoutSeconds",
        "must be more than 0 and at most 600");
  }

  /** The short form in a recipe: the command alone. */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  static Ready of(String command) {
    return new Ready(command, null);
  }

  double limitSeconds() {
    return timeoutSeconds == null ? USUAL : timeoutSeconds;
  }
}
