package dev.atoll.sdk.transport;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The default: the JDK's {@link HttpClient}, which keeps connections and honours interrupts. */
public final class HttpClientTransport implements Transport {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  private final HttpClient client;

  /** A transport with a client of its own. */
  public HttpClientTransport() {
    this(HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).build());
  }

  /** A transport over a client that the caller has set up, for instance with a proxy or TLS. */
  public HttpClientTransport(HttpClient client) {
    this.client = client;
  }

  @Override
  public HttpAnswer send(HttpCall call) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(call.uri())
            .method(call.method(), publisher(call.body()))
            .timeout(call.timeout());
    if ("http".equals(call.uri().getScheme())) {
      // Over cleartext HTTP/2 would need an upgrade that servers may refuse for requests with
      // a body.
      request.version(HttpClient.Version.HTTP_1_1);
    }
    call.headers().forEach(request::header);
    return new Answer(client.send(request.build(), head -> new ArrivingBody()));
  }

  private static BodyPublisher publisher(@Nullable HttpBody body) {
    if (body == null) {
      return BodyPublishers.noBody();
    }
    BodyPublisher stream = BodyPublishers.ofInputStream(() -> opened(body));
    if (body.length() < 0) {
      return stream;
    }
    return body.length() == 0
        ? BodyPublishers.noBody()
        : BodyPublishers.fromPublisher(stream, body.length());
  }

  private static InputStream opened(HttpBody body) {
    try {
      return body.open();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private record Answer(HttpResponse<InputStream> response) implements HttpAnswer {
    @Override
    public int status() {
      return response.statusCode();
    }

    @Override
    public @Nullable String header(String name) {
      return response.headers().firstValue(name).orElse(null);
    }

    @Override
    public InputStream body() {
      return response.body();
    }

    @Override
    public void close() {
      try {
        response.body().close();
      } catch (IOException e) {
        // The connection is given up either way.
      }
    }
  }
}
