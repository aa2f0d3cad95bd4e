package dev.atoll.model;

import java.util.List;

/**
 * An exception that ended a run.
 *
 * @param traceback its lines, of the user's own code alone
 */
public record RunError(String name, String value, List<String> traceback) {
  public RunError {
    traceback = traceback == null ? List.of() : List.copyOf(traceback);
  }

  /** Name and value as a person would read them. */
  public String summary() {
    return value.isEmpty() ? name : name + ": " + value;
  }
}
