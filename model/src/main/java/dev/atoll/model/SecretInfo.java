package dev.atoll.model;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A secret as its owner sees it: everything but its value.
 *
 * @param replaceIn where the placeholder is replaced besides headers for credentials
 * @param env the variable in which programs find the placeholder
 * @param placeholder what stands for the value inside sandboxes; the same for its whole life
 * @param changedAt when it was last made or changed
 */
public record SecretInfo(
    String name,
    List<SecretDomain> domains,
    @Nullable String header,
    @Nullable String query,
    List<SecretPlace> replaceIn,
    String env,
    String placeholder,
    Instant createdAt,
    Instant changedAt) {
  public SecretInfo {
    domains = List.copyOf(domains);
    // An older server says nothing of it.
    replaceIn = replaceIn == null ? List.of() : List.copyOf(replaceIn);
  }
}
