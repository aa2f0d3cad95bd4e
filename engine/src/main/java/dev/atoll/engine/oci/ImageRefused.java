package dev.atoll.engine.oci;

import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a registry sent is not what it must be; nothing of it is used. */
final class ImageRefused extends IOException {
  private static final long serialVersionUID = 1;
  private static final int MOST_QUOTED = 100;

  private final Reason reason;

  /** What is wrong; the names are stable. */
  enum Reason {
    /** Something else than its digest says. */
    DIGEST_MISMATCH,
    /** Longer or shorter than was said. */
    SIZE_MISMATCH,
    /** More than may be fetched. */
    TOO_LARGE,
    /** More layers than an image may have. */
    TOO_MANY_LAYERS,
    /** A digest that has not the form of one. */
    INVALID_DIGEST,
    /** No manifest, or one that could be read in two ways. */
    INVALID_MANIFEST,
    /** A type that is not that of an image, or another than was said. */
    WRONG_MEDIA_TYPE,
    /** Made for another kind of machine. */
    WRONG_PLATFORM;

    /** As clients see it, such as {@code digest_mismatch}. */
    String wire() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  ImageRefused(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  Reason reason() {
    return reason;
  }

  /** Text of a stranger in a message: short, and in one line. */
  static String quoted(@Nullable String text) {
    String plain = String.valueOf(text).replaceAll("[^\\x20-\\x7e]", "?");
    return plain.length() <= MOST_QUOTED ? plain : plain.substring(0, MOST_QUOTED) + "…";
  }
}
