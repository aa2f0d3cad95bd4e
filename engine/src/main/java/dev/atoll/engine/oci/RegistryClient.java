package dev.atoll.engine.oci;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads from one repository of a registry, and believes nothing of it: whatever has a digest is
 * hashed here, and whatever has a size has that size. Redirects are followed without credentials,
 * and never from TLS to none.
 */
final class RegistryClient {
  /** What registries have to take, by their specification; nobody needs more. */
  static final int MOST_MANIFEST = 4 << 20;

  private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);
  private static final int MOST_REDIRECTS = 5;
  private static final int UNAUTHORIZED = 401;
  private static final Duration PATIENCE = Duration.ofSeconds(100);

  private final HttpClient http;
  private final HttpOrigin registry;
  private final RegistryLogin login;
  private final String base;

  RegistryClient(PullRequest request, ImageReference reference, HttpClient http)
      throws IOException {
    this.http = http;
    String scheme = request.insecure() ? "http" : "https";
    URI root = URI.create(scheme + "://" + reference.apiHost());
    this.registry = HttpOrigin.of(root);
    this.base = root + "/v2/" + reference.repository();
    this.login = new RegistryLogin(request, reference, registry, http);
  }

  /**
   * A manifest whose digest was checked.
   *
   * @param type as the registry calls it
   */
  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  record Fetched(byte[] content, String type, Digest digest) {}

  /**
   * Fetches a manifest.
   *
   * @param digest what it must be; null when the tag decides
   */
  Fetched manifest(String tag, @Nullable Digest digest) throws IOException, InterruptedException {
    String name = digest == null ? tag : digest.toString();
    HttpResponse<InputStream> answer = get(base + "/manifests/" + name, true);
    byte[] content;
    try (InputStream body = answer.body()) {
      content = body.readNBytes(MOST_MANIFEST + 1);
    }
    if (content.length > MOST_MANIFEST) {
      throw new ImageRefused(
          ImageRefused.Reason.TOO_LARGE,
          "the manifest has more than %d bytes".formatted(MOST_MANIFEST));
    }
    Digest known = digest == null ? Digest.of(content) : digest;
    if (!known.matches(content)) {
      throw mismatch("the manifest", known);
    }
    Optional<String> said = answer.headers().firstValue("Docker-Content-Digest");
    if (said.isPresent() && !Digest.parse(said.get()).matches(content)) {
      throw mismatch("the manifest", Digest.parse(said.get()));
    }
    String type = answer.headers().firstValue("Content-Type").orElse("");
    return new Fetched(content, type, known);
  }

  /** Fetches something small. */
  byte[] blob(Descriptor wanted, String what) throws IOException, InterruptedException {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    blob(wanted, what, content);
    return content.toByteArray();
  }

  /** Fetches what has that digest and that size; what was written is of no use when this throws. */
  void blob(Descriptor wanted, String what, OutputStream target)
      throws IOException, InterruptedException {
    HttpResponse<InputStream> answer = get(base + "/blobs/" + wanted.digest(), false);
    MessageDigest hash = wanted.digest().hashing();
    try (InputStream body = answer.body()) {
      Optional<String> said = answer.headers().firstValue("Docker-Content-Digest");
      if (said.isPresent() && !Digest.parse(said.get()).equals(wanted.digest())) {
        throw mismatch(what, wanted.digest());
      }
      long length = answer.headers().firstValueAsLong("Content-Length").orElse(wanted.size());
      if (length != wanted.size()) {
        throw wrongSize(what, length, wanted.size());
      }
      byte[] buffer = new byte[1 << 16];
      long left = wanted.size();
      for (int n = body.read(buffer); n >= 0; n = body.read(buffer)) {
        left -= n;
        if (left < 0) {
          throw wrongSize(what, wanted.size() - left, wanted.size());
        }
        hash.update(buffer, 0, n);
        target.write(buffer, 0, n);
      }
      if (left > 0) {
        throw wrongSize(what, wanted.size() - left, wanted.size());
      }
    }
    if (!wanted.digest().matches(hash)) {
      throw mismatch(what, wanted.digest());
    }
  }

  private static ImageRefused mismatch(String what, Digest digest) {
    return new ImageRefused(
        ImageRefused.Reason.DIGEST_MISMATCH, what + " is not what has the digest " + digest);
  }

  private static ImageRefused wrongSize(String what, long size, long said) {
    return new ImageRefused(
        ImageRefused.Reason.SIZE_MISMATCH,
        "%s has %d bytes or more, the manifest says %d".formatted(what, size, said));
  }

  private HttpResponse<InputStream> get(String address, boolean manifest)
      throws IOException, InterruptedException {
    HttpResponse<InputStream> answer = follow(URI.create(address), manifest);
    if (answer.statusCode() == UNAUTHORIZED && HttpOrigin.of(answer.uri()).equals(registry)) {
      answer.body().close();
      login.answer(answer.headers().allValues("WWW-Authenticate"));
      answer = follow(URI.create(address), manifest);
    }
    if (answer.statusCode() != 200) {
      answer.body().close();
      throw new IOException("the registry answers " + answer.statusCode());
    }
    return answer;
  }

  private HttpResponse<InputStream> follow(URI start, boolean manifest)
      throws IOException, InterruptedException {
    URI uri = start;
    for (int hops = 0; hops <= MOST_REDIRECTS; hops++) {
      HttpResponse<InputStream> answer = send(uri, manifest);
      if (!REDIRECTS.contains(answer.statusCode())) {
        return answer;
      }
      answer.body().close();
      URI next = next(uri, answer);
      if (HttpOrigin.of(uri).encrypted() && !HttpOrigin.of(next).encrypted()) {
        throw new IOException("the registry leads from TLS to none");
      }
      uri = next;
    }
    throw new IOException("the registry leads from one address to the next");
  }

  private static URI next(URI from, HttpResponse<?> answer) throws IOException {
    try {
      return from.resolve(answer.headers().firstValue("Location").orElse(""));
    } catch (IllegalArgumentException e) {
      throw new IOException("the registry leads to what is no address", e);
    }
  }

  private HttpResponse<InputStream> send(URI uri, boolean manifest)
      throws IOException, InterruptedException {
    HttpRequest.Builder call = HttpRequest.newBuilder(uri).timeout(PATIENCE);
    if (manifest) {
      for (String type :
          List.of(
              Document.OCI_MANIFEST,
              Document.OCI_INDEX,
              Document.DOCKER_MANIFEST,
              Document.DOCKER_LIST)) {
        call.header("Accept", type);
      }
    }
    String credentials = login.header();
    // Whoever else it is led to is a stranger to the credentials.
    if (credentials != null && HttpOrigin.of(uri).equals(registry)) {
      call.header("Authorization", credentials);
    }
    return http.send(call.build(), HttpResponse.BodyHandlers.ofInputStream());
  }
}
