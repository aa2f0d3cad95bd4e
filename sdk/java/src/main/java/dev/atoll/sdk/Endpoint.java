package dev.atoll.sdk;

import java.net.URI;

/**
 * Where a server is, and the key to it.
 *
 * @param url scheme, host and port, without a path
 */
public record Endpoint(URI url, String apiKey) {
  /** Checks the URL's form. */
  public Endpoint {
    boolean http = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
    if (!http || url.getHost() == null) {
      throw new IllegalArgumentException(
          "the URL of the server must look like http://127.0.0.1:7070, not " + url);
    }
  }

  /** The address of a WebSocket on that server: http becomes ws, https becomes wss. */
  URI webSocket(String path) {
    return URI.create("ws" + url.toString().substring("http".length()) + path);
  }

  /** Leaves the key out, since this ends up in logs. */
  @Override
  public String toString() {
    return "Endpoint[" + url + "]";
  }
}
