package dev.atoll.engine.cache;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Asks a registry. */
interface Fetcher {

  /** Follows redirects; fails when nobody answers in time. */
  Fetched get(URI address, Map<String, String> headers) throws IOException;

  /**
   * Sends something, once and to that address alone.
   *
   * @param length of what is sent
   */
  Fetched post(URI address, Map<String, String> headers, InputStream body, long length)
      throws IOException;

  /**
   * An answer whose body is still to come.
   *
   * @param address where it came from in the end
   * @param length of the body; -1 when it is not told
   */
  record Fetched(
      URI address,
      int status,
      String type,
      @Nullable String etag,
      @Nullable String modified,
      long length,
      InputStream body)
      implements Closeable {
    @Override
    public void close() throws IOException {
      body.close();
    }
  }
}
