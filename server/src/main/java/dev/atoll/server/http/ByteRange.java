package dev.atoll.server.http;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A part of a file, as the Range header of RFC 9110 names it. */
record ByteRange(long offset, long length) {
  private static final Pattern SINGLE =
      Pattern.compile("bytes\\s*=\\s*([0-9]{0,18})\\s*-\\s*([0-9]{0,18})\\s*");

  /**
   * Reads a Range header.
   *
   * @return empty when it is of a kind that may be ignored: another unit, several ranges, nonsense
   * @throws AtollException when the range lies outside the file
   */
  static Optional<ByteRange> parse(String header, long size) {
    Matcher matcher = SINGLE.matcher(header.strip());
    if (!matcher.matches()) {
      return Optional.empty();
    }
    String first = matcher.group(1);
    String last = matcher.group(2);
    if (first.isEmpty()) {
      return last.isEmpty() ? Optional.empty() : Optional.of(suffix(Long.parseLong(last), size));
    }
    long from = Long.parseLong(first);
    long to = last.isEmpty() ? size - 1 : Math.min(Long.parseLong(last), size - 1);
    if (!last.isEmpty() && Long.parseLong(last) < from) {
      return Optional.empty();
    }
    if (from >= size) {
      throw outside(size);
    }
    return Optional.of(new ByteRange(from, to - from + 1));
  }

  String header(long size) {
    return "bytes " + offset + "-" + (offset + length - 1) + "/" + size;
  }

  private static ByteRange suffix(long count, long size) {
    if (count == 0 || size == 0) {
      throw outside(size);
    }
    long length = Math.min(count, size);
    return new ByteRange(size - length, length);
  }

  private static AtollException outside(long size) {
    return new AtollException(
        ErrorCode.RANGE_NOT_SATISFIABLE,
        "the range lies outside the file, which has " + size + " bytes",
        null,
        Map.of("size", size),
        null);
  }
}
