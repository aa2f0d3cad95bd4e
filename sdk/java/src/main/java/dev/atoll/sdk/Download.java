package dev.atoll.sdk;

import dev.atoll.sdk.transport.HttpAnswer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/** A body of any size that goes to a stream as it comes. */
final class Download {
  private static final int CHUNK = 64 << 10;

  private Download() {}

  /**
   * Writes the answer without closing the stream.
   *
   * @throws ConnectionException if the connection broke on the way; what was written is useless
   */
  static void to(Api api, ApiRequest request, OutputStream to) {
    try (HttpAnswer answer = api.open(request)) {
      InputStream from = answer.body();
      byte[] buffer = new byte[CHUNK];
      for (int count = read(from, buffer); count >= 0; count = read(from, buffer)) {
        to.write(buffer, 0, count);
      }
      to.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int read(InputStream from, byte[] buffer) {
    try {
      return from.read(buffer);
    } catch (IOException e) {
      throw new ConnectionException(
          "the connection broke in the middle of the download", "fetch it again", e);
    }
  }
}
