package dev.atoll.server.http;

/** Who may call a route. */
enum Access {
  /** Anybody who reaches the server. */
  OPEN,
  /** Anybody while the server listens on a loopback address alone; otherwise only with a key. */
  LOCAL,
  /** Only with an API key in a header. */
  KEY,
  /**
   * As {@link #KEY}, or with the key in the query, for browsers cannot add headers to WebSockets.
   */
  KEY_OR_QUERY;

  /** Whether it is part of the API proper. */
  boolean needsKey() {
    return this == KEY || this == KEY_OR_QUERY;
  }
}
