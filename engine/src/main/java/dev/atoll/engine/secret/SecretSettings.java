package dev.atoll.engine.secret;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How secrets are kept and where they may go.
 *
 * @param keyFile holds the keys that values are sealed with; null: a file of the data directory,
 *     which is made when it is first needed
 * @param trust certificates, as PEM, that are trusted besides those of the host when a secret is
 *     sent over TLS; null for none
 */
public record SecretSettings(@Nullable Path keyFile, @Nullable Path trust) {

  /** A key in the data directory, and the host's own certificates. */
  public static SecretSettings defaults() {
    return new SecretSettings(null, null);
  }
}
