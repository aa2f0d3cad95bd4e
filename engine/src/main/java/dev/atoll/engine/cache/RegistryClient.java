package dev.atoll.engine.cache;

import dev.atoll.engine.trust.HostCertificates;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Asks registries over the network, believing whom the host believes, by the {@link RegistryWay}
 * alone. A redirect is never followed from TLS to none.
 */
final class RegistryClient implements Fetcher {
  private static final int MAX_REDIRECTS = 5;
  private static final int REFUSED = 403;
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration ANSWER = Duration.ofSeconds(30);

  private final RegistryWay way;
  private @Nullable HttpClient client;

  RegistryClient(RegistryWay way) {
    this.way = way;
  }

  /** Made when it is first needed: reading a bundle of certificates takes a moment. */
  private synchronized HttpClient client() throws IOException {
    HttpClient made = client;
    if (made == null) {
      try {
        made =
            HttpClient.newBuilder()
                .sslContext(HostCertificates.tls())
                .connectTimeout(CONNECT)
                .proxy(way.proxy())
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
      } catch (GeneralSecurityException e) {
        throw new IOException("the host's certificates cannot be read", e);
      }
      client = made;
    }
    return made;
  }

  @Override
  public Fetched get(URI address, Map<String, String> headers) throws IOException {
    URI next = address;
    for (int hop = 0; hop <= MAX_REDIRECTS; hop++) {
      HttpResponse<InputStream> answer =
          send(
              next,
              headers,
              credentials(address, next),
              "GET",
              HttpRequest.BodyPublishers.noBody());
      URI location =
          answer.statusCode() / 100 == 3 && answer.statusCode() != 304
              ? answer.headers().firstValue("Location").map(next::resolve).orElse(null)
              : null;
      if (location == null) {
        return fetched(next, answer);
      }
      answer.body().close();
      check(next, location);
      next = location;
    }
    throw new IOException(address.getHost() + " redirects in circles");
  }

  @Override
  public Fetched post(URI address, Map<String, String> headers, InputStream body, long length)
      throws IOException {
    HttpRequest.BodyPublisher sent =
        HttpRequest.BodyPublishers.fromPublisher(
            HttpRequest.BodyPublishers.ofInputStream(() -> body), length);
    HttpResponse<InputStream> answer =
        send(address, headers, credentials(address, address), "POST", sent);
    if (answer.statusCode() / 100 == 3) {
      answer.body().close();
      throw new IOException(address.getHost() + " redirects what is sent to it");
    }
    return fetched(address, answer);
  }

  private static void check(URI from, URI to) throws IOException {
    if ("https".equals(from.getScheme()) && !"https".equals(to.getScheme())) {
      throw new IOException(from.getHost() + " redirects from TLS to none");
    }
  }

  /** What the administrator wrote into the address is for that host alone. */
  private static @Nullable String credentials(URI configured, URI asked) {
    String user = configured.getUserInfo();
    return user != null && Objects.equals(configured.getAuthority(), asked.getAuthority())
        ? "Basic " + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8))
        : null;
  }

  private HttpResponse<InputStream> send(
      URI address,
      Map<String, String> headers,
      @Nullable String credentials,
      String method,
      HttpRequest.BodyPublisher sent)
      throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(withoutUser(address))
            .timeout(ANSWER)
            .header("User-Agent", "atoll")
            .method(method, sent);
    headers.forEach(request::header);
    if (credentials != null) {
      request.header("Authorization", credentials);
    }
    try {
      HttpResponse<InputStream> answer =
          client().send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      String trouble = answer.statusCode() == REFUSED ? way.trouble(address) : null;
      if (trouble != null) {
        answer.body().close();
        throw new IOException(trouble);
      }
      return answer;
    } catch (IOException e) {
      // A client tells little of why a proxy went nowhere.
      String trouble = way.trouble(address);
      throw trouble == null
          ? e
          : new IOException("the server cannot ask " + address.getHost() + ": " + trouble, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (IllegalArgumentException e) {
      throw new IOException(address.getHost() + " cannot be asked: " + e.getMessage(), e);
    }
  }

  private static URI withoutUser(URI address) {
    return address.getRawUserInfo() == null
        ? address
        : URI.create(address.toString().replaceFirst("//[^/@]*@", "//"));
  }

  private static Fetched fetched(URI address, HttpResponse<InputStream> answer) {
    return new Fetched(
        address,
        answer.statusCode(),
        answer.headers().firstValue("Content-Type").orElse("application/octet-stream"),
        answer.headers().firstValue("ETag").orElse(null),
        answer.headers().firstValue("Last-Modified").orElse(null),
        answer.headers().firstValueAsLong("Content-Length").orElse(-1),
        answer.body());
  }
}
