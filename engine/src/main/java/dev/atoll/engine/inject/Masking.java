package dev.atoll.engine.inject;

import dev.atoll.engine.secret.BoundSecret;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Puts something of the same length in place of values in what comes back: the placeholder, cut or
 * filled up with asterisks. So no length changes, and a body can be masked while it passes.
 */
final class Masking {
  private final List<Pattern> patterns;
  private final boolean[] begins = new boolean[256];

  @SuppressWarnings("ArrayRecordComponent")
  private record Pattern(byte[] from, byte[] to) {}

  private Masking(List<Pattern> patterns) {
    this.patterns = patterns;
    patterns.forEach(pattern -> begins[pattern.from()[0] & 0xff] = true);
  }

  /** Masks the forms in which a server may send a value back. */
  static Masking of(List<BoundSecret> secrets) {
    List<Pattern> patterns = new ArrayList<>();
    for (BoundSecret secret : secrets) {
      for (String form : ValueForms.of(secret)) {
        byte[] from = form.getBytes(StandardCharsets.ISO_8859_1);
        patterns.add(new Pattern(from, fit(secret.info().placeholder(), from.length)));
      }
    }
    // The longest first: one form may begin with another.
    patterns.sort(Comparator.comparingInt((Pattern p) -> p.from().length).reversed());
    return new Masking(patterns);
  }

  private static byte[] fit(String placeholder, int length) {
    byte[] mask = placeholder.getBytes(StandardCharsets.ISO_8859_1);
    byte[] fitted = Arrays.copyOf(mask, length);
    if (mask.length < length) {
      Arrays.fill(fitted, mask.length, length, (byte) '*');
    }
    return fitted;
  }

  /** Masks a text that is there as a whole. */
  String mask(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    int _ = replace(bytes, bytes.length, true);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** For a stream of bytes in pieces. */
  Passage passage() {
    return new Passage();
  }

  /**
   * Replaces in place. Gives how many bytes are settled; what follows may be the beginning of a
   * value, unless these are the last.
   */
  private int replace(byte[] bytes, int length, boolean last) {
    int at = 0;
    while (at < length) {
      if (begins[bytes[at] & 0xff]) {
        Pattern found = at(bytes, at, length);
        if (found != null) {
          System.arraycopy(found.to(), 0, bytes, at, found.to().length);
          at += found.to().length;
          continue;
        }
        if (!last && mayBegin(bytes, at, length)) {
          return at;
        }
      }
      at++;
    }
    return length;
  }

  private @Nullable Pattern at(byte[] bytes, int at, int length) {
    for (Pattern pattern : patterns) {
      int size = pattern.from().length;
      if (length - at >= size && Arrays.equals(bytes, at, at + size, pattern.from(), 0, size)) {
        return pattern;
      }
    }
    return null;
  }

  private boolean mayBegin(byte[] bytes, int at, int length) {
    int left = length - at;
    return patterns.stream()
        .anyMatch(
            pattern ->
                left < pattern.from().length
                    && Arrays.equals(bytes, at, length, pattern.from(), 0, left));
  }

  /** What a passage hands its bytes to. */
  interface Sink {
    void write(byte[] bytes, int offset, int length) throws java.io.IOException;
  }

  /**
   * One stream. Holds back only what may be the beginning of a value, which other text hardly ever
   * is, so that events are not late.
   */
  final class Passage {
    private byte[] held = new byte[0];

    void pass(byte[] bytes, int offset, int length, Sink sink) throws java.io.IOException {
      byte[] all = Arrays.copyOf(held, held.length + length);
      System.arraycopy(bytes, offset, all, held.length, length);
      int settled = replace(all, all.length, false);
      held = Arrays.copyOfRange(all, settled, all.length);
      sink.write(all, 0, settled);
    }

    void end(Sink sink) throws java.io.IOException {
      sink.write(held, 0, held.length);
      held = new byte[0];
    }
  }
}
