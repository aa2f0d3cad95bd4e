package dev.atoll.model;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A URL that lets whoever has it read or write one file of one sandbox, without a key.
 *
 * @param expiresAt when it stops to be good, unless the sandbox ends or goes back before
 * @param maxBytes how large an upload may be; null for no limit of its own
 */
public record FileUrl(
    String url, FileUrlMethod method, String path, Instant expiresAt, @Nullable Long maxBytes) {
  public FileUrl {
    Objects.requireNonNull(url);
    Objects.requireNonNull(method);
    Objects.requireNonNull(path);
    Objects.requireNonNull(expiresAt);
  }
}
