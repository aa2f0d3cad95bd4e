package dev.atoll.engine.oci;

import dev.atoll.engine.trust.HostCertificates;
import dev.atoll.model.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Fetches one image and ends. A process of its own, so that what a registry sends is held in a
 * memory of its own and ends with the build; its whole network goes through the proxy that the
 * server gives it.
 */
final class PullProgram {
  private static final Duration CONNECT = Duration.ofSeconds(20);

  private final PullRequest request;
  private final PrintStream out;
  private final ImageReference reference;
  private final RegistryClient registry;

  private PullProgram(PullRequest request, PrintStream out, HttpClient http) throws IOException {
    this.request = request;
    this.out = out;
    this.reference = ImageReference.parse(request.reference());
    this.registry = new RegistryClient(request, reference, http);
  }

  /** Reads a {@link PullRequest}, prints {@link PullAnswer}s. */
  public static void main(String[] args) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    PullRequest request = Json.lenient().readValue(System.in.readAllBytes(), PullRequest.class);
    print(out, answer(request, out));
  }

  private static PullAnswer answer(PullRequest request, PrintStream out) {
    try (HttpClient http = client(request)) {
      PullAnswer.Image image = new PullProgram(request, out, http).run();
      return new PullAnswer(null, image, null, null);
    } catch (ImageRefused e) {
      return new PullAnswer(null, null, String.valueOf(e.getMessage()), e.reason().wire());
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      return new PullAnswer(null, null, String.valueOf(e.getMessage()), null);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new PullAnswer(null, null, "interrupted", null);
    }
  }

  private static void print(PrintStream out, PullAnswer answer) {
    out.println(Json.lenient().writeValueAsString(answer));
  }

  private static HttpClient client(PullRequest request)
      throws IOException, GeneralSecurityException {
    InetSocketAddress proxy =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), request.proxy());
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .proxy(ProxySelector.of(proxy))
        .followRedirects(HttpClient.Redirect.NEVER)
        .connectTimeout(CONNECT)
        .sslContext(tls(request.authorities()))
        .build();
  }

  private static SSLContext tls(@Nullable String authorities)
      throws IOException, GeneralSecurityException {
    if (authorities == null) {
      return SSLContext.getDefault();
    }
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(HostCertificates.keyStore(Path.of(authorities)));
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  private PullAnswer.Image run() throws IOException, InterruptedException {
    String planned = request.digest();
    RegistryClient.Fetched found =
        planned == null ? search() : registry.manifest("", Digest.parse(planned));
    if (!(read(found) instanceof Document.Image image)) {
      throw new ImageRefused(
          ImageRefused.Reason.INVALID_MANIFEST, "the index leads to another index");
    }
    String config = config(image.config());
    if (request.folder() != null) {
      fetch(image.layers(), Path.of(request.folder()));
    }
    return new PullAnswer.Image(found.digest().toString(), config, image.layers().size());
  }

  /** The manifest that the reference means, for this kind of machine. */
  private RegistryClient.Fetched search() throws IOException, InterruptedException {
    RegistryClient.Fetched found = registry.manifest(reference.tag(), reference.digest());
    if (!(read(found) instanceof Document.Index index)) {
      return found;
    }
    Descriptor chosen = index.fitting();
    if (chosen.size() > RegistryClient.MOST_MANIFEST) {
      throw Document.tooLarge("the manifest", chosen.size(), RegistryClient.MOST_MANIFEST);
    }
    RegistryClient.Fetched manifest = registry.manifest("", chosen.digest());
    if (manifest.content().length != chosen.size()) {
      throw new ImageRefused(
          ImageRefused.Reason.SIZE_MISMATCH,
          "the manifest has %d bytes, the index says %d"
              .formatted(manifest.content().length, chosen.size()));
    }
    return manifest;
  }

  private Document read(RegistryClient.Fetched fetched) throws ImageRefused {
    return Document.read(fetched.content(), fetched.type(), request.mostBytes());
  }

  private String config(Descriptor descriptor) throws IOException, InterruptedException {
    byte[] content = registry.blob(descriptor, "the configuration");
    String config = new String(content, StandardCharsets.UTF_8);
    ImageConfig.requireThisMachine(config);
    return config;
  }

  private void fetch(List<Descriptor> layers, Path folder)
      throws IOException, InterruptedException {
    for (int number = 0; number < layers.size(); number++) {
      Descriptor layer = layers.get(number);
      String what = "layer %d of %d".formatted(number + 1, layers.size());
      String message = "%s (%d KiB)".formatted(what, layer.size() >> 10);
      print(out, new PullAnswer(message, null, null, null));
      try (OutputStream target =
          Files.newOutputStream(
              folder.resolve(fileName(number)),
              StandardOpenOption.CREATE_NEW,
              StandardOpenOption.WRITE)) {
        registry.blob(layer, what, target);
      }
    }
  }

  /** Of a layer, the lowest being 0; nothing that a registry says is part of it. */
  static String fileName(int layer) {
    return "layer-" + layer;
  }
}
