package dev.atoll.sdk.transport;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpRetryException;
import java.net.HttpURLConnection;
import org.jspecify.annotations.Nullable;

/**
 * A transport for programs that live for a moment: it starts in about 20 ms where the JDK's
 * HttpClient takes 400 ms.
 *
 * <p>Its price: a blocked read that ends on an interrupt only on virtual threads; and an answer
 * that should be closed by the thread that reads it. PATCH, which {@link HttpURLConnection} does
 * not know, goes through {@link HttpClientTransport}.
 */
public final class UrlConnectionTransport implements Transport {
  private static final int CONNECT_MILLIS = 10_000;
  private static final int CHUNK = 64 << 10;

  @Override
  public HttpAnswer send(HttpCall call) throws IOException, InterruptedException {
    if (call.method().equals("PATCH")) {
      return new HttpClientTransport().send(call);
    }
    HttpURLConnection connection = (HttpURLConnection) call.uri().toURL().openConnection();
    connection.setRequestMethod(call.method());
    connection.setInstanceFollowRedirects(false);
    connection.setUseCaches(false);
    connection.setConnectTimeout(CONNECT_MILLIS);
    connection.setReadTimeout((int) Math.min(Integer.MAX_VALUE, call.timeout().toMillis()));
    call.headers().forEach(connection::setRequestProperty);
    HttpBody body = bodyOf(call);
    if (body != null) {
      write(connection, body);
    }
    return answer(connection);
  }

  private static @Nullable HttpBody bodyOf(HttpCall call) {
    // Without a Content-Length some servers wait for the body of a POST.
    boolean wanted = call.method().equals("POST") || call.method().equals("PUT");
    return call.body() == null && wanted ? HttpBody.of(new byte[0]) : call.body();
  }

  private static void write(HttpURLConnection connection, HttpBody body) throws IOException {
    connection.setDoOutput(true);
    // Streaming is also what keeps HttpURLConnection from silently sending a POST twice.
    if (body.length() >= 0) {
      connection.setFixedLengthStreamingMode(body.length());
    } else {
      connection.setChunkedStreamingMode(CHUNK);
    }
    try (InputStream from = body.open();
        OutputStream to = connection.getOutputStream()) {
      from.transferTo(to);
    }
  }

  private static HttpAnswer answer(HttpURLConnection connection) throws IOException {
    try {
      int status = connection.getResponseCode();
      if (status < 0) {
        throw new IOException("the answer is not HTTP");
      }
      InputStream body = status >= 400 ? connection.getErrorStream() : connection.getInputStream();
      return new Answer(
          connection,
          status,
          new EndNoticingStream(body == null ? InputStream.nullInputStream() : body));
    } catch (HttpRetryException e) {
      // A 401 to a streamed request: its body is out of reach.
      return new Answer(
          connection, e.responseCode(), new EndNoticingStream(InputStream.nullInputStream()));
    }
  }

  /** A connection whose answer was read to its end is used again; any other is closed. */
  private record Answer(HttpURLConnection connection, int status, EndNoticingStream body)
      implements HttpAnswer {
    @Override
    public @Nullable String header(String name) {
      return connection.getHeaderField(name);
    }

    @Override
    public void close() {
      if (!body.isAtEnd()) {
        connection.disconnect();
      }
    }
  }
}
