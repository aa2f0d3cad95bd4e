package dev.atoll.sdk;

import dev.atoll.model.Page;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * A listing that fetches its next page when the one before is used up.
 *
 * @param <T> what is listed
 */
public final class Pages<T> implements Iterable<T> {
  private final Function<@Nullable String, Page<T>> fetch;

  Pages(Function<@Nullable String, Page<T>> fetch) {
    this.fetch = fetch;
  }

  /** Starts from the first page each time. */
  @Override
  public Iterator<T> iterator() {
    return new PageIterator<>(fetch);
  }

  /** The same as a stream. */
  public Stream<T> stream() {
    return StreamSupport.stream(spliterator(), false);
  }

  private static final class PageIterator<T> implements Iterator<T> {
    private final Function<@Nullable String, Page<T>> fetch;
    private @Nullable String cursor;
    private @Nullable Iterator<T> page;

    PageIterator(Function<@Nullable String, Page<T>> fetch) {
      this.fetch = fetch;
    }

    @Override
    public boolean hasNext() {
      return filled().hasNext();
    }

    @Override
    public T next() {
      Iterator<T> current = filled();
      if (!current.hasNext()) {
        throw new NoSuchElementException("the listing has ended");
      }
      return current.next();
    }

    private Iterator<T> filled() {
      Iterator<T> current = page == null ? fetchPage() : page;
      while (!current.hasNext() && cursor != null) {
        current = fetchPage();
      }
      return current;
    }

    private Iterator<T> fetchPage() {
      Page<T> fetched = fetch.apply(cursor);
      cursor = fetched.nextCursor();
      Iterator<T> items = fetched.items().iterator();
      page = items;
      return items;
    }
  }
}
