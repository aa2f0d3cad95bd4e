package dev.atoll.engine.cache;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;

/** Answers the requests of one connection, one after another. */
final class CacheConnection {
  private static final byte[] NEWLINE = {'\r', '\n'};

  private final InputStream in;
  private final OutputStream out;
  private final Counts counts;

  /** Something of the present answer is on its way. */
  private boolean sent;

  /** The program takes nothing any more. */
  private boolean gone;

  CacheConnection(InputStream in, OutputStream out, Counts counts) {
    this.in = new BufferedInputStream(in);
    this.out = out;
    this.counts = counts;
  }

  /** Answers a request. */
  interface Handler {
    Answer answer(CacheRequest request) throws IOException;
  }

  /** Says why something could not be answered. */
  interface FailureHandler {
    Answer failed(IOException failure);
  }

  /** Until the program has no more requests, or does not speak HTTP. */
  void run(Handler handler, FailureHandler failures) throws IOException {
    boolean more = true;
    while (more) {
      CacheRequest request;
      try {
        request = CacheRequest.read(in);
      } catch (ProtocolException e) {
        send(Answer.text(400, String.valueOf(e.getMessage())), false, false);
        return;
      }
      if (request == null) {
        return;
      }
      answer(request, handler, failures);
      // What is left of a body is no request.
      more = request.keepAlive() && !request.isUnread();
    }
  }

  private void answer(CacheRequest request, Handler handler, FailureHandler failures)
      throws IOException {
    gone = false;
    sent = false;
    try (Answer answer = handler.answer(request)) {
      send(answer, request.isHead(), request.keepAlive() && !request.isUnread());
    } catch (IOException e) {
      if (gone) {
        throw e;
      }
      Answer answer = failures.failed(e);
      if (sent) {
        // Half of a file must not look like a whole one: the connection breaks.
        throw e;
      }
      send(answer, request.isHead(), request.keepAlive() && !request.isUnread());
    }
  }

  private void send(Answer answer, boolean headOnly, boolean keepAlive) throws IOException {
    long length = answer.body().length();
    StringBuilder head = new StringBuilder("HTTP/1.1 ").append(answer.status()).append(" ");
    head.append(reason(answer.status())).append("\r\n");
    head.append("Content-Type: ").append(answer.type()).append("\r\n");
    head.append(
        length < 0 ? "Transfer-Encoding: chunked\r\n" : "Content-Length: " + length + "\r\n");
    head.append(keepAlive ? "" : "Connection: close\r\n").append("\r\n");
    byte[] bytes = head.toString().getBytes(StandardCharsets.ISO_8859_1);
    Gathering first = new Gathering(bytes);
    if (!headOnly && length >= 0) {
      answer.body().writeTo(first);
    } else if (!headOnly) {
      answer.body().writeTo(new Chunks(first));
      first.write("0\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1), 0, 5);
    }
    first.flush();
  }

  /** Some programs show it to people. */
  private static String reason(int status) {
    return switch (status) {
      case 200 -> "OK";
      case 400 -> "Bad Request";
      case 401 -> "Unauthorized";
      case 403 -> "Forbidden";
      case 404 -> "Not Found";
      case 405 -> "Method Not Allowed";
      case 503 -> "Service Unavailable";
      case 504 -> "Gateway Timeout";
      case 507 -> "Insufficient Storage";
      default -> "Error";
    };
  }

  /** Sends the head together with the first bytes of the body. */
  private final class Gathering extends OutputStream {
    private byte[] head;

    Gathering(byte[] head) {
      this.head = head;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      counts.served(length);
      if (head.length == 0) {
        put(bytes, offset, length);
        return;
      }
      byte[] both = new byte[head.length + length];
      System.arraycopy(head, 0, both, 0, head.length);
      System.arraycopy(bytes, offset, both, head.length, length);
      head = new byte[0];
      put(both, 0, both.length);
    }

    private void put(byte[] bytes, int offset, int length) throws IOException {
      sent = true;
      try {
        out.write(bytes, offset, length);
      } catch (IOException e) {
        gone = true;
        throw e;
      }
    }

    @Override
    public void flush() throws IOException {
      if (head.length > 0) {
        write(head, 0, 0);
      }
      out.flush();
    }
  }

  /** The form of a body whose length is not known before. */
  private static final class Chunks extends OutputStream {
    private final OutputStream to;

    Chunks(OutputStream to) {
      this.to = to;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (length > 0) {
        to.write((Integer.toHexString(length) + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        to.write(bytes, offset, length);
        to.write(NEWLINE);
      }
    }
  }
}
