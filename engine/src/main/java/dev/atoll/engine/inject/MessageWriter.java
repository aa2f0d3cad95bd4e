package dev.atoll.engine.inject;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.eclipse.jetty.http.HttpField;

/**
 * Writes messages from their parts. Names and values come from the parser or were checked when they
 * were made, so none of them holds the end of a line. For one thread.
 */
final class MessageWriter {
  private static final byte[] END = {'\r', '\n'};

  private final OutputStream out;
  private Head.Framing framing = Head.Framing.NONE;

  MessageWriter(OutputStream out) {
    this.out = new BufferedOutputStream(out, 16 << 10);
  }

  /** Begins a message whose body will come in this framing; the fields say no other. */
  void head(String firstLine, List<HttpField> fields, Head.Framing bodyFraming) throws IOException {
    framing = bodyFraming;
    // The target of a request may hold other bytes, which came as UTF-8.
    out.write(firstLine.getBytes(StandardCharsets.UTF_8));
    out.write(END);
    boolean length = framing == Head.Framing.NONE || framing == Head.Framing.LENGTH;
    for (HttpField field : fields) {
      if (!length && field.is("Content-Length")) {
        continue;
      }
      String value = field.getValue() == null ? "" : field.getValue();
      out.write((field.getName() + ": " + value).getBytes(StandardCharsets.ISO_8859_1));
      out.write(END);
    }
    if (framing == Head.Framing.CHUNKED) {
      out.write("Transfer-Encoding: chunked\r\n".getBytes(StandardCharsets.US_ASCII));
    }
    out.write(END);
    out.flush();
  }

  /** Sends a piece of the body at once: who waits for events gets them as they come. */
  void body(byte[] bytes, int offset, int length) throws IOException {
    if (length == 0) {
      return;
    }
    if (framing == Head.Framing.CHUNKED) {
      out.write(Integer.toHexString(length).getBytes(StandardCharsets.US_ASCII));
      out.write(END);
    }
    out.write(bytes, offset, length);
    if (framing == Head.Framing.CHUNKED) {
      out.write(END);
    }
    out.flush();
  }

  void end() throws IOException {
    if (framing == Head.Framing.CHUNKED) {
      out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }
    out.flush();
  }

  /** Sends bytes that belong to no message. */
  void raw(byte[] bytes, int offset, int length) throws IOException {
    out.write(bytes, offset, length);
    out.flush();
  }
}
