package dev.atoll.sdk;

import dev.atoll.model.ErrorBody;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The project is at one of its limits. */
public final class QuotaExceededException extends ApiException {
  private final @Nullable Duration retryAfter;

  /** A failure that the server answered. */
  public QuotaExceededException(ErrorBody body, @Nullable Duration retryAfter) {
    super(body, null);
    this.retryAfter = retryAfter;
  }

  /** How long to wait before the next try, if the server has said so. */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }
}
