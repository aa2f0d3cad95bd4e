package dev.atoll.model;

import java.time.Instant;
import java.util.List;

/**
 * One build of a template that was kept; it never changes.
 *
 * @param version counted from 1
 * @param digest of everything that it was built from
 * @param tags names that point to it, {@code latest} among them if it is the newest
 */
public record TemplateVersion(
    int version, String digest, List<String> tags, long sizeBytes, Instant createdAt) {
  public TemplateVersion {
    tags = List.copyOf(tags);
  }
}
