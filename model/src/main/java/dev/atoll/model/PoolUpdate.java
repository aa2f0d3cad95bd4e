package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/** A change to a warm pool; what is null stays as it is. */
public record PoolUpdate(@Nullable Integer warm, @Nullable Integer max) {
  public PoolUpdate {
    Check.range("warm", warm, 0, 1000);
    Check.range("max", max, 1, 10_000);
  }
}
