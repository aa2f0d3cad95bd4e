package dev.atoll.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One page of a listing.
 *
 * @param nextCursor give it back as {@code cursor} for the next page; null on the last one
 */
public record Page<T>(List<T> items, @Nullable String nextCursor) {
  public Page {
    items = List.copyOf(items);
  }
}
