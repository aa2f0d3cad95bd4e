package dev.atoll.server.http;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a program answers, by Jetty's parser, and stops at each thing that is of interest:
 * give it bytes with {@link #parse}, look at what came, and go on with the same bytes until they
 * are used up.
 */
final class PortAnswer implements HttpParser.ResponseHandler {
  static final int MAX_HEAD = 24 << 10;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  /** The limit of the head is kept here, for the parser's own is meant for requests. */
  private final HttpParser parser = new HttpParser(this, 0);

  private final boolean head;
  private HttpFields.Mutable fields = HttpFields.build();
  private int status;
  private @Nullable ByteBuffer content;
  private boolean headComplete;
  private boolean headed;
  private int headBytes;
  private boolean complete;
  private @Nullable String problem;

  /**
   * @param head whether the request was HEAD, so that no body follows whatever the answer says
   */
  PortAnswer(boolean head) {
    this.head = head;
    parser.setHeadResponse(head);
  }

  /** What a step of the parser came upon. */
  enum Step {
    /** The bytes are used up. */
    MORE,
    /** An answer before the answer, such as 100. */
    INTERIM,
    /** The head, once. */
    HEAD,
    /** A part of the body. */
    CONTENT,
    /** The end. */
    END,
    /** It is not HTTP. */
    BROKEN
  }

  Step parse(ByteBuffer bytes) {
    while (true) {
      int before = bytes.remaining();
      boolean stopped = parser.parseNext(bytes);
      if (!headed) {
        headBytes += before - bytes.remaining();
        if (headBytes > MAX_HEAD) {
          problem = "the head of its answer is larger than " + MAX_HEAD + " bytes";
        }
      }
      if (problem != null) {
        return Step.BROKEN;
      }
      if (headComplete) {
        headComplete = false;
        if (status >= 100 && status < 200 && status != 101) {
          complete = false;
          headBytes = 0;
          parser.reset();
          parser.setHeadResponse(head);
          return Step.INTERIM;
        }
        headed = true;
        return Step.HEAD;
      }
      if (content != null) {
        return Step.CONTENT;
      }
      if (complete) {
        return Step.END;
      }
      if (!stopped && !bytes.hasRemaining()) {
        return Step.MORE;
      }
    }
  }

  /** The program has ended its side. */
  Step end() {
    if (!headed) {
      earlyEOF();
      return Step.BROKEN;
    }
    parser.atEOF();
    return parse(NOTHING);
  }

  int status() {
    return status;
  }

  HttpFields fields() {
    return fields;
  }

  /** The part of the body that was come upon; it is taken once. */
  ByteBuffer content() {
    ByteBuffer taken = content;
    content = null;
    return taken == null ? NOTHING : taken;
  }

  String problem() {
    return String.valueOf(problem);
  }

  // What the parser calls; true makes it stop.

  @Override
  public void startResponse(HttpVersion version, int newStatus, @Nullable String reason) {
    status = newStatus;
    fields = HttpFields.build();
  }

  @Override
  public void parsedHeader(HttpField field) {
    fields.add(field);
  }

  @Override
  public boolean headerComplete() {
    headComplete = true;
    return true;
  }

  @Override
  public boolean content(ByteBuffer part) {
    content = part;
    return true;
  }

  @Override
  public boolean contentComplete() {
    return false;
  }

  @Override
  public boolean messageComplete() {
    complete = true;
    return true;
  }

  @Override
  public void earlyEOF() {
    problem = "the program closed the connection before the end of its answer";
  }

  @Override
  public void badMessage(HttpException failure) {
    String reason = failure.getReason();
    problem = "the program does not answer in HTTP" + (reason == null ? "" : ": " + reason);
  }
}
