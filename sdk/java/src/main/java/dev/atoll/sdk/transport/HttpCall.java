package dev.atoll.sdk.transport;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP request.
 *
 * @param timeout how long to wait for the head of the answer
 */
public record HttpCall(
    String method,
    URI uri,
    Map<String, String> headers,
    @Nullable HttpBody body,
    Duration timeout) {
  /** Copies the headers. */
  public HttpCall {
    headers = Map.copyOf(headers);
  }
}
