package dev.atoll.agents;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A model gave no reply. */
public final class ModelException extends RuntimeException {
  private final boolean temporary;
  private final @Nullable Duration retryAfter;

  private ModelException(
      String message, boolean temporary, @Nullable Duration retryAfter, @Nullable Throwable cause) {
    super(message, cause);
    this.temporary = temporary;
    this.retryAfter = retryAfter;
  }

  /** One that trying again does not help against. */
  public static ModelException lasting(String message, @Nullable Throwable cause) {
    return new ModelException(message, false, null, cause);
  }

  /** One that may be over soon: overload, a broken connection. */
  public static ModelException temporary(String message, @Nullable Throwable cause) {
    return new ModelException(message, true, null, cause);
  }

  /**
   * What an HTTP status of a model's provider means: 408, 409, 429 and everything from 500 on,
   * overload (529) among it, is temporary.
   *
   * @param retryAfter the header of that name, in seconds, if there was one
   */
  public static ModelException ofStatus(
      int status, String message, @Nullable String retryAfter, @Nullable Throwable cause) {
    boolean temporary = status == 408 || status == 409 || status == 429 || status >= 500;
    return new ModelException(message, temporary, seconds(retryAfter), cause);
  }

  private static @Nullable Duration seconds(@Nullable String header) {
    try {
      double seconds = header == null ? -1 : Double.parseDouble(header.strip());
      boolean usable = seconds >= 0 && seconds < 1e6;
      return usable ? Duration.ofMillis(Math.round(seconds * 1000)) : null;
    } catch (NumberFormatException e) {
      // The other form is a date; our own delays do for that.
      return null;
    }
  }

  /** Whether to try again. */
  public boolean temporary() {
    return temporary;
  }

  /** How long the provider asks to wait. */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }
}
