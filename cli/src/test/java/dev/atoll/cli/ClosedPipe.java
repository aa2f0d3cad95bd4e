package dev.atoll.cli;

import java.io.IOException;
import java.io.OutputStream;

/** Standard output that nobody takes. */
final class ClosedPipe extends OutputStream {
  @Override
  public void write(int value) throws IOException {
    throw new IOException("Broken pipe");
  }
}
