package dev.atoll.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.PrintStream;

/**
 * Standard output for data that must be whole. A {@link PrintStream} keeps failures to itself, so a
 * full disk behind a redirection would go unnoticed.
 */
final class CheckedOutput extends FilterOutputStream {
  private final PrintStream print;

  CheckedOutput(PrintStream print) {
    super(print);
    this.print = print;
  }

  @Override
  public void write(byte[] buffer, int offset, int length) throws IOException {
    print.write(buffer, offset, length);
    flush();
  }

  @Override
  public void flush() throws IOException {
    if (print.checkError()) {
      throw new IOException("cannot write to standard output");
    }
  }
}
