package dev.atoll.engine.net;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Fetches the beginning of a page of a registry, without following redirects. */
interface PageFetcher {

  /**
   * What came.
   *
   * @param location where a redirect leads; null for another answer
   */
  record Fetched(@Nullable URI location, String text) {}

  Fetched fetch(URI uri, boolean withText) throws IOException, InterruptedException;

  /** Over the network, with bounds on time and size. */
  static PageFetcher real() {
    HttpClient client =
        HttpClient.newBuilder()
            .connectTimeout(Duration.ofSeconds(5))
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
    return (uri, withText) -> {
      HttpRequest request =
          HttpRequest.newBuilder(uri)
              .timeout(Duration.ofSeconds(8))
              .header("Accept", "text/html, application/json;q=0.9, */*;q=0.1")
              .method(withText ? "GET" : "HEAD", HttpRequest.BodyPublishers.noBody())
              .build();
      HttpResponse<InputStream> answer =
          client.send(request, HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream in = answer.body()) {
        boolean redirect = answer.statusCode() / 100 == 3;
        URI location =
            redirect
                ? answer.headers().firstValue("Location").map(uri::resolve).orElse(null)
                : null;
        String text =
            redirect || !withText
                ? ""
                : new String(in.readNBytes(256 << 10), StandardCharsets.UTF_8);
        return new Fetched(location, text);
      }
    };
  }
}
