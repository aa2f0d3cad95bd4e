package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/**
 * A key to create.
 *
 * @param project whose key it is to be; the caller's own project when left out, and another one
 *     only for administrators
 */
public record ApiKeyRequest(String name, @Nullable String project) {
  public ApiKeyRequest {
    Check.that(
        name != null && !name.isBlank() && name.length() <= 64,
        "name",
        "must have 1 to 64 characters");
    Check.that(
        project == null || project.matches(SandboxSpec.NAME),
        "project",
        "must match " + SandboxSpec.NAME);
  }
}
