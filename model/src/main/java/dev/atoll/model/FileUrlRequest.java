package dev.atoll.model;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a URL that lets whoever has it read or write one file of a sandbox, without a key.
 *
 * @param path without {@code ..}: whoever puts a path together from what others say gets no other
 *     file than the one that can be read off it
 * @param ttlSeconds how long it is good for; an hour by default, a week at most
 * @param maxBytes how large an upload may be; no limit of its own by default
 */
public record FileUrlRequest(
    FileUrlMethod method, String path, @Nullable Double ttlSeconds, @Nullable Long maxBytes) {
  private static final double HOUR = 3600;
  private static final double WEEK = 7 * 24 * HOUR;

  public FileUrlRequest {
    Check.that(method != null, "method", "must be given");
    Check.path("path", path);
    Check.that(
        Arrays.stream(path.split("/", -1)).noneMatch(".."::equals), "path", "must not hold \"..\"");
    Check.range("ttlSeconds", ttlSeconds, 1, WEEK);
    Check.that(
        maxBytes == null || method == FileUrlMethod.PUT, "maxBytes", "is for uploads (PUT) alone");
    Check.that(maxBytes == null || maxBytes >= 0, "maxBytes", "must not be negative");
  }

  /** How long it is good for, in seconds. */
  public double lifetime() {
    return ttlSeconds == null ? HOUR : ttlSeconds;
  }
}
