package dev.atoll.server.mcp;

import java.io.IOException;

/** Where messages for a client go, one JSON text each. Used by several threads. */
public interface MessageSink {
  /** Sends a message; fails when the client has gone. */
  void send(String message) throws IOException;
}
