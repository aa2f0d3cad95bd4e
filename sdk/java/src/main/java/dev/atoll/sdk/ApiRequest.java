package dev.atoll.sdk;

import dev.atoll.model.Json;
import dev.atoll.sdk.transport.HttpBody;
import dev.atoll.sdk.transport.HttpCall;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One call of the HTTP API, before the server's address and the key are added. */
final class ApiRequest {
  static final String NDJSON = "application/x-ndjson";
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(60);

  private final String method;
  private final StringBuilder path;
  private final Map<String, String> headers = new LinkedHashMap<>();
  private @Nullable HttpBody body;
  private Duration timeout = DEFAULT_TIMEOUT;
  private boolean safe;
  private boolean query;

  private ApiRequest(String method, String path, boolean safe) {
    this.method = method;
    this.path = new StringBuilder(path);
    this.safe = safe;
    headers.put("Accept", "application/json");
  }

  static ApiRequest get(String path) {
    return new ApiRequest("GET", path, true);
  }

  static ApiRequest delete(String path) {
    return new ApiRequest("DELETE", path, true);
  }

  static ApiRequest post(String path) {
    return new ApiRequest("POST", path, false);
  }

  static ApiRequest put(String path) {
    return new ApiRequest("PUT", path, false);
  }

  static ApiRequest patch(String path) {
    return new ApiRequest("PATCH", path, false);
  }

  /** A part of a path, encoded. */
  static String segment(String part) {
    return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
  }

  ApiRequest query(String name, @Nullable Object value) {
    if (value != null) {
      path.append(query ? '&' : '?').append(segment(name)).append('=');
      path.append(segment(value.toString()));
      query = true;
    }
    return this;
  }

  ApiRequest json(Object value) {
    headers.put("Content-Type", "application/json");
    return body(HttpBody.of(Json.lenient().writeValueAsBytes(value)));
  }

  ApiRequest bytes(HttpBody content, String type) {
    headers.put("Content-Type", type);
    return body(content);
  }

  ApiRequest accept(String type) {
    headers.put("Accept", type);
    return this;
  }

  ApiRequest timeout(Duration limit) {
    timeout = limit;
    return this;
  }

  /** Doing it twice is like doing it once, though its method does not say so. */
  ApiRequest harmlessToRepeat() {
    safe = true;
    return this;
  }

  /** The server recognises the second sending of this request by the key. */
  ApiRequest idempotencyKey(String key) {
    headers.put("Idempotency-Key", key);
    safe = true;
    return this;
  }

  /** Whether sending it twice does no more than sending it once. */
  boolean safe() {
    return safe && repeatable();
  }

  /** Whether it can be sent again at all. */
  boolean repeatable() {
    return body == null || body.repeatable();
  }

  HttpCall to(Endpoint endpoint) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put("Authorization", "Bearer " + endpoint.apiKey());
    all.put("User-Agent", "atoll-sdk-java/" + Atoll.VERSION);
    return new HttpCall(method, URI.create(endpoint.url() + path.toString()), all, body, timeout);
  }

  @Override
  public String toString() {
    return method + " " + path;
  }

  private ApiRequest body(HttpBody content) {
    body = content;
    return this;
  }
}
