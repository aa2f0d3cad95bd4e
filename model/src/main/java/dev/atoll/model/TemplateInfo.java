package dev.atoll.model;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A template that sandboxes can be made from.
 *
 * @param name by which the caller refers to it: {@code owner/name} for one that another project
 *     shares
 * @param digest of everything that it was built from
 * @param state {@code absent}, {@code building}, {@code ready} or {@code failed}
 * @param message what is being done, or why it failed
 * @param description what it is for, in the words of its recipe
 * @param owner the project that it belongs to; null for one that comes with the server
 * @param version the newest one, or the one that was asked for; null for one that comes with the
 *     server
 * @param sizeBytes of its root file system and checkpoint; files that it shares with other
 *     templates are counted
 * @param createdAt when that version was built
 * @param versions all versions, the newest first; null in lists
 * @param sharedWith other projects that may use it; null in lists and for those projects
 * @param recipe as it was sent; null in lists, and for those who do not own it
 */
public record TemplateInfo(
    String name,
    String digest,
    String state,
    @Nullable String message,
    @Nullable String description,
    @Nullable String owner,
    @Nullable Integer version,
    @Nullable Long sizeBytes,
    @Nullable Instant createdAt,
    @Nullable List<TemplateVersion> versions,
    @Nullable List<String> sharedWith,
    @Nullable String recipe) {

  /** One that comes with the server. */
  public static TemplateInfo builtIn(
      String name,
      String digest,
      String state,
      @Nullable String message,
      @Nullable String description,
      @Nullable Long sizeBytes) {
    return new TemplateInfo(
        name, digest, state, message, description, null, null, sizeBytes, null, null, null, null);
  }
}
