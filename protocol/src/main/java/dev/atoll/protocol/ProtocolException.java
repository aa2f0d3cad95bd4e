package dev.atoll.protocol;

/**
 * The other side sent something that the protocol does not allow. Ends that sandbox, never the
 * server.
 */
public final class ProtocolException extends RuntimeException {
  public ProtocolException(String message) {
    super(message);
  }

  public ProtocolException(String message, Throwable cause) {
    super(message, cause);
  }
}
