package dev.atoll.engine.cache;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;

/** What an answer holds. */
interface Body extends Closeable {

  /** How many bytes; -1 when that is not known. */
  long length();

  void writeTo(OutputStream out) throws IOException;

  @Override
  default void close() throws IOException {}

  static Body of(byte[] bytes) {
    return new Body() {
      @Override
      public long length() {
        return bytes.length;
      }

      @Override
      public void writeTo(OutputStream out) throws IOException {
        out.write(bytes);
      }
    };
  }
}
