package dev.atoll.engine.oci;

import dev.atoll.model.Json;
import dev.atoll.model.SecretDomain;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * Tells a registry who comes, in the way that it asks for.
 *
 * <p>A registry may name another host that gives out its tokens. A password goes there only if it
 * is the registry's own host or one that the secret is bound to as well, so that a registry can
 * have it sent to nobody else. What is asked for is reading the one repository, whatever the
 * registry would like to be asked for: a token ends up at the registry.
 */
final class RegistryLogin {
  private static final Pattern PARAMETER = Pattern.compile("([a-zA-Z]+)=\"([^\"]*)\"");
  private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]{1,16384}");
  private static final int MOST_ANSWER = 1 << 16;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final PullRequest request;
  private final ImageReference reference;
  private final HttpOrigin registry;
  private final HttpClient http;
  private @Nullable String header;

  RegistryLogin(
      PullRequest request, ImageReference reference, HttpOrigin registry, HttpClient http) {
    this.request = request;
    this.reference = reference;
    this.registry = registry;
    this.http = http;
  }

  /** What goes into the header {@code Authorization}, for the registry alone; null for nothing. */
  @Nullable String header() {
    return header;
  }

  /** Does what the registry asks for in its headers {@code WWW-Authenticate}. */
  void answer(List<String> challenges) throws IOException, InterruptedException {
    String bearer = challenge(challenges, "bearer ");
    String username = request.username();
    String password = request.password();
    if (password != null && username == null) {
      header = "Bearer " + password;
    } else if (bearer != null) {
      header = "Bearer " + token(parameters(bearer));
    } else if (password != null && challenge(challenges, "basic") != null) {
      header = basic(String.valueOf(username), password);
    } else {
      throw new IOException("the registry asks who comes");
    }
  }

  private static @Nullable String challenge(List<String> challenges, String scheme) {
    return challenges.stream()
        .filter(text -> text.strip().toLowerCase(Locale.ROOT).startsWith(scheme))
        .findFirst()
        .orElse(null);
  }

  private static Map<String, String> parameters(String challenge) {
    Map<String, String> parameters = new HashMap<>();
    Matcher matcher = PARAMETER.matcher(challenge);
    while (matcher.find()) {
      parameters.putIfAbsent(matcher.group(1).toLowerCase(Locale.ROOT), matcher.group(2));
    }
    return parameters;
  }

  private static String basic(String username, String password) {
    byte[] both = (username + ":" + password).getBytes(StandardCharsets.UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(both);
  }

  private record Answer(
      @Nullable String token,
      @com.fasterxml.jackson.annotation.JsonProperty("access_token")
          @Nullable String accessToken) {}

  private String token(Map<String, String> asked) throws IOException, InterruptedException {
    URI realm = realm(asked.getOrDefault("realm", ""));
    HttpRequest.Builder call = HttpRequest.newBuilder(query(realm, asked.get("service")));
    String username = request.username();
    String password = request.password();
    if (username != null && password != null) {
      call.header("Authorization", basic(username, password));
    }
    // Redirects are not followed: the password is for this host.
    HttpResponse<InputStream> answer =
        http.send(call.timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofInputStream());
    byte[] content;
    try (InputStream body = answer.body()) {
      content = body.readNBytes(MOST_ANSWER);
    }
    if (answer.statusCode() != 200) {
      throw new IOException("who gives out the registry's tokens answers " + answer.statusCode());
    }
    return token(content);
  }

  private static String token(byte[] content) throws IOException {
    try {
      Answer said = Json.lenient().readValue(content, Answer.class);
      String token = said == null ? null : said.token() == null ? said.accessToken() : said.token();
      if (token != null && TOKEN.matcher(token).matches()) {
        return token;
      }
    } catch (JacksonException e) {
      // Said below.
    }
    throw new IOException("who gives out the registry's tokens gave none");
  }

  private URI realm(String text) throws IOException {
    URI realm;
    try {
      realm = URI.create(text);
    } catch (IllegalArgumentException e) {
      throw new IOException("the registry does not say where its tokens are", e);
    }
    HttpOrigin origin = HttpOrigin.of(realm);
    if (registry.encrypted() && !origin.encrypted()) {
      throw new IOException("the registry wants its tokens asked for without TLS");
    }
    if (request.password() != null && !mayHavePassword(origin)) {
      throw new IOException(
          "the registry wants the password sent to %s, which the secret is not bound to; add that host to its domains if that is right"
              .formatted(origin));
    }
    return realm;
  }

  private boolean mayHavePassword(HttpOrigin origin) {
    boolean known = origin.encrypted() && origin.toString().equals(reference.tokenHost());
    return origin.equals(registry)
        || known
        || request.domains().stream()
            .map(SecretDomain::parse)
            .anyMatch(domain -> domain.matches(origin.host(), origin.port(), origin.encrypted()));
  }

  private URI query(URI realm, @Nullable String service) {
    String scope = "scope=" + encoded("repository:" + reference.repository() + ":pull");
    String query = service == null ? scope : "service=" + encoded(service) + "&" + scope;
    String base = realm.toString().replaceFirst("#.*", "");
    return URI.create(base + (base.indexOf('?') < 0 ? "?" : "&") + query);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
