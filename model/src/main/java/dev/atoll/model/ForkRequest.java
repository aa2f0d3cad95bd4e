package dev.atoll.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Copies to be made of a running sandbox.
 *
 * @param count how many, 1 when left out
 * @param metadata labels of the children, added to those of the parent
 * @param ttlSeconds lifetime of each child; that of the parent when left out
 */
public record ForkRequest(
    Integer count, Map<String, String> metadata, @Nullable Double ttlSeconds) {
  static final int MAX_COUNT = 32;

  public ForkRequest {
    Check.range("count", count, 1, MAX_COUNT);
    Check.range("ttlSeconds", ttlSeconds, 1, 31_536_000);
    count = count == null ? 1 : count;
    metadata = metadata == null ? Map.of() : Check.labels("metadata", metadata);
  }

  /** So many children, in everything else like the parent. */
  public static ForkRequest of(int count) {
    return new ForkRequest(count, Map.of(), null);
  }
}
