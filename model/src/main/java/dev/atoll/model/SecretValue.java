package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * What must not be seen. Its text form tells nothing, so that it can stand in records, messages and
 * logs; only {@link #reveal} gives it away.
 */
public final class SecretValue {
  /** Shorter ones could not be told from other text, where they have to be masked. */
  private static final int LEAST = 8;

  private static final int MOST = 16_384;

  private final String value;

  private SecretValue(String value) {
    Check.that(
        value.length() >= LEAST && value.length() <= MOST,
        "value",
        "must have %d to %d characters".formatted(LEAST, MOST));
    Check.that(
        value.chars().allMatch(c -> c >= ' ' && c <= '~') && value.equals(value.strip()),
        "value",
        "must be printable ASCII in one line, without spaces at its ends");
    this.value = value;
  }

  /** Takes a value that can stand in a header. */
  @JsonCreator
  public static SecretValue of(String value) {
    return new SecretValue(value);
  }

  /** The value itself. */
  @JsonValue
  public String reveal() {
    return value;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SecretValue that
        && MessageDigest.isEqual(
            value.getBytes(StandardCharsets.UTF_8), that.value.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public int hashCode() {
    return SecretValue.class.hashCode();
  }

  @Override
  public String toString() {
    return "(secret)";
  }
}
