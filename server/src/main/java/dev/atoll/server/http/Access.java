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
  KEY_OR_QUERY,
  /** With a signature in the query that somebody with a key has asked for, and without a key. */
  SIGNED;

  /** Whether it is part of the API proper, where callers are known by their project. */
  boolean closed() {
    return this != OPEN && this != LOCAL;
  }
}
