package dev.atoll.server.config;

import org.jspecify.annotations.Nullable;

/** A setting is wrong; the message says which, where it came from and what to do. */
public final class ConfigException extends IllegalArgumentException {
  public ConfigException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  public ConfigException(String message) {
    this(message, null);
  }
}
