package dev.atoll.sdk;

import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the server: what the caller said, then the environment, then the local server.
 *
 * <p>The local server's key is never sent anywhere but to the local server.
 */
record EndpointSearch(
    @Nullable String url, @Nullable String apiKey, Map<String, String> environment) {
  private static final String URL = "ATOLL_URL";
  private static final String KEY = "ATOLL_API_KEY";

  /** Whether the address comes from the local server's own file, and so may change with it. */
  boolean local() {
    return givenUrl() == null;
  }

  /** Looks again at each call. */
  Endpoint find() {
    String givenUrl = givenUrl();
    String givenKey = first(apiKey, environment.get(KEY));
    if (givenUrl != null && givenKey != null) {
      return endpoint(givenUrl, givenKey);
    }
    Optional<LocalServer> server = LocalServer.find(environment);
    if (givenUrl == null) {
      LocalServer found = server.orElseThrow(EndpointSearch::nothingFound);
      return endpoint(found.url(), givenKey == null ? found.key() : givenKey);
    }
    String key =
        server
            .filter(s -> strip(s.url()).equals(strip(givenUrl)))
            .map(LocalServer::key)
            .orElseThrow(() -> noKey(givenUrl));
    return endpoint(givenUrl, key);
  }

  private @Nullable String givenUrl() {
    return first(url, environment.get(URL));
  }

  private static Endpoint endpoint(String url, String key) {
    return new Endpoint(URI.create(strip(url)), key);
  }

  private static String strip(String url) {
    return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
  }

  private static ConnectionException nothingFound() {
    return new ConnectionException(
        "no Atoll server is running on this machine",
        "start it with ./atoll up, or set ATOLL_URL and ATOLL_API_KEY",
        null);
  }

  private static ConnectionException noKey(String url) {
    return new ConnectionException(
        "there is no API key for " + url,
        "set ATOLL_API_KEY to a key made with `atoll key create`",
        null);
  }

  private static @Nullable String first(@Nullable String one, @Nullable String other) {
    return one != null && !one.isBlank() ? one : other != null && !other.isBlank() ? other : null;
  }
}
