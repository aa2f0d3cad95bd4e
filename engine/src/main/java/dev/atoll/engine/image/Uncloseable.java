package dev.atoll.engine.image;

import java.io.FilterInputStream;
import java.io.InputStream;

/** A stream that stays open when a stream on top of it is closed: it is the caller's. */
final class Uncloseable extends FilterInputStream {
  Uncloseable(InputStream in) {
    super(in);
  }

  @Override
  public void close() {}
}
