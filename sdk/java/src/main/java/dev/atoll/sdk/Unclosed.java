package dev.atoll.sdk;

import java.io.FilterInputStream;
import java.io.InputStream;

/** A stream of the caller, which stays the caller's to close. */
final class Unclosed extends FilterInputStream {
  Unclosed(InputStream in) {
    super(in);
  }

  @Override
  public void close() {}
}
