package dev.atoll.model;

import java.util.List;

/**
 * The children of a fork.
 *
 * @param prepared whether they had been made ready while the parent was idle
 */
public record ForkResult(List<SandboxInfo> children, boolean prepared) {
  public ForkResult {
    children = List.copyOf(children);
  }
}
