package dev.atoll.engine.inject;

import dev.atoll.engine.secret.BoundSecret;
import dev.atoll.model.SecretSpec;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The scheme Basic, in which a name and a password are encoded together, as git and many package
 * managers send them.
 */
final class Basic {
  private static final String SCHEME = "Basic ";

  private Basic() {}

  static boolean is(String value) {
    return value.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
  }

  /** Changes the credentials inside; a value that is not well formed stays as it is. */
  static String change(String value, UnaryOperator<String> change) {
    try {
      byte[] decoded = Base64.getDecoder().decode(value.substring(SCHEME.length()).strip());
      String before = new String(decoded, StandardCharsets.ISO_8859_1);
      String after = change.apply(before);
      return after.equals(before) ? value : encode(after);
    } catch (IllegalArgumentException e) {
      return value;
    }
  }

  /** A template's {@code Basic user:secret} as it goes over the wire. */
  static String encode(String credentials) {
    return SCHEME
        + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.ISO_8859_1));
  }

  static String ofTemplate(String value) {
    return encode(value.substring(SCHEME.length()));
  }

  /** What a secret's template of this scheme becomes on the wire, if it has one. */
  static Optional<String> credentials(BoundSecret secret) {
    String header = secret.info().header();
    if (header == null) {
      return Optional.empty();
    }
    String value =
        header
            .substring(header.indexOf(':') + 1)
            .strip()
            .replace(SecretSpec.VALUE, secret.value().reveal());
    return is(value) ? Optional.of(ofTemplate(value).substring(SCHEME.length())) : Optional.empty();
  }
}
