package dev.atoll.engine.inject;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/** Reads messages one after another: a head, then its body piece by piece. For one thread. */
final class MessageReader implements HttpParser.RequestHandler, HttpParser.ResponseHandler {
  private static final int MAX_HEAD = 64 << 10;
  private static final int BUFFER = 16 << 10;

  private final InputStream in;
  private final HttpParser parser;
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER).flip();

  private List<HttpField> fields = new ArrayList<>();
  private String line = "";
  private String target = "";
  private int status;
  private boolean modern;
  private boolean headDone;
  private boolean messageDone;
  private @Nullable ByteBuffer piece;
  private @Nullable IOException failure;

  private MessageReader(InputStream in, boolean requests) {
    this.in = in;
    // Of a request nothing may be read in two ways, so what is not as it should be is refused.
    this.parser =
        requests
            ? new HttpParser((HttpParser.RequestHandler) this, MAX_HEAD, HttpCompliance.RFC9110)
            : new HttpParser((HttpParser.ResponseHandler) this, MAX_HEAD, HttpCompliance.RFC7230);
  }

  static MessageReader ofRequests(InputStream in) {
    return new MessageReader(in, true);
  }

  static MessageReader ofResponses(InputStream in) {
    return new MessageReader(in, false);
  }

  /** Waits for the beginning of a message; false when there is none any more. */
  boolean await() throws IOException {
    return buffer.hasRemaining() || fill();
  }

  /**
   * Reads the head of the next message; null when there is none.
   *
   * @param ofHead whether it answers HEAD, and so has no body whatever it says
   */
  @Nullable Head next(boolean ofHead) throws IOException {
    if (!await()) {
      return null;
    }
    parser.reset();
    fields = new ArrayList<>();
    headDone = false;
    messageDone = false;
    parser.setHeadResponse(ofHead);
    while (!headDone) {
      advance();
    }
    return new Head(line, target, status, modern, fields, framing(ofHead));
  }

  private Head.Framing framing(boolean ofHead) {
    boolean request = status == 0;
    if (!request && (ofHead || status < 200 || status == 204 || status == 304)) {
      return Head.Framing.NONE;
    }
    if (parser.isChunking()) {
      return Head.Framing.CHUNKED;
    }
    boolean length = fields.stream().anyMatch(f -> f.is("Content-Length"));
    return length ? Head.Framing.LENGTH : request ? Head.Framing.NONE : Head.Framing.UNTIL_END;
  }

  /** The next piece of the body, to be used before anything else is read; null at its end. */
  @Nullable ByteBuffer body() throws IOException {
    piece = null;
    while (piece == null && !messageDone) {
      advance();
    }
    return piece;
  }

  /** Bytes that do not belong to a message any more; -1 at the end. */
  int raw(byte[] into) throws IOException {
    if (!await()) {
      return -1;
    }
    int count = Math.min(into.length, buffer.remaining());
    buffer.get(into, 0, count);
    return count;
  }

  private void advance() throws IOException {
    boolean handled = parser.parseNext(buffer);
    if (failure != null) {
      throw failure;
    }
    boolean found = handled || piece != null || messageDone;
    if (!found && !buffer.hasRemaining()) {
      more();
    }
  }

  private void more() throws IOException {
    if (!fill()) {
      parser.atEOF();
      parser.parseNext(buffer);
      if (failure != null) {
        throw failure;
      }
      if (!messageDone) {
        throw new EOFException("the connection ended in the middle of a message");
      }
    }
  }

  private boolean fill() throws IOException {
    int count = in.read(buffer.array(), 0, buffer.capacity());
    buffer.position(0).limit(Math.max(0, count));
    return count > 0;
  }

  // What the parser finds.

  @Override
  public void startRequest(String method, String uri, HttpVersion version) {
    line = method;
    target = uri;
    status = 0;
    modern = version == HttpVersion.HTTP_1_1;
  }

  @Override
  public void startResponse(HttpVersion version, int code, @Nullable String reason) {
    line = Objects.requireNonNullElse(reason, "");
    status = code;
    modern = version == HttpVersion.HTTP_1_1;
  }

  @Override
  public void parsedHeader(@Nullable HttpField field) {
    if (field != null) {
      fields.add(field);
    }
  }

  @Override
  public boolean headerComplete() {
    headDone = true;
    return true;
  }

  @Override
  public boolean content(ByteBuffer content) {
    piece = content;
    return true;
  }

  @Override
  public boolean contentComplete() {
    return false;
  }

  @Override
  public boolean messageComplete() {
    messageDone = true;
    return true;
  }

  @Override
  public void earlyEOF() {
    failure = new EOFException("the connection ended in the middle of a message");
  }

  @Override
  public void badMessage(HttpException bad) {
    failure = new ProtocolException("this is not HTTP/1.1: " + bad.getReason());
  }
}
