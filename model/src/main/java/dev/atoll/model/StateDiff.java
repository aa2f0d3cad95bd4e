package dev.atoll.model;

import java.util.List;

/**
 * What differs between two relatives.
 *
 * @param from id of the sandbox or snapshot that is compared with
 * @param to id of the sandbox or snapshot that is looked at
 * @param truncated whether more files differ than are listed
 */
public record StateDiff(
    String from,
    String to,
    List<FileDifference> files,
    List<VariableDifference> variables,
    boolean truncated) {
  public StateDiff {
    files = List.copyOf(files);
    variables = List.copyOf(variables);
  }
}
