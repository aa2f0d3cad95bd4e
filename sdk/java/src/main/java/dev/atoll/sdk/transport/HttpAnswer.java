package dev.atoll.sdk.transport;

import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** The head of an answer, and its body while it arrives. */
public interface HttpAnswer extends AutoCloseable {
  /** The HTTP status. */
  int status();

  /** The value of a header, or null; the case of the name does not matter. */
  @Nullable String header(String name);

  /** The body; bytes are readable as soon as they arrive. */
  InputStream body();

  /** Gives the connection up. What was not read yet is lost. */
  @Override
  void close();
}
