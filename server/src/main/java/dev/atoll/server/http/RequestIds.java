package dev.atoll.server.http;

import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Ids by which a request is found in the log. They identify, they do not protect. */
final class RequestIds {
  static final String HEADER = "X-Request-Id";
  private static final int MAX_LENGTH = 64;

  private RequestIds() {}

  /** The caller's own id if it is sane, otherwise a new one. */
  static String of(@Nullable String given) {
    return given != null && Names.valid(given) && given.length() <= MAX_LENGTH ? given : fresh();
  }

  private static String fresh() {
    long bits = ThreadLocalRandom.current().nextLong();
    return "req_" + Long.toUnsignedString(bits, Character.MAX_RADIX);
  }
}
