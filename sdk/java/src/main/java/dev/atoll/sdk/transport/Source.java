package dev.atoll.sdk.transport;

import java.io.IOException;
import java.io.InputStream;

/** A body by its length and how it is opened. */
record Source(long length, boolean repeatable, Opening opening) implements HttpBody {

  /** Opens the bytes. */
  interface Opening {
    InputStream open() throws IOException;
  }

  @Override
  public InputStream open() throws IOException {
    return opening.open();
  }
}
