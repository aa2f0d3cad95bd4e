package dev.atoll.engine.oci;

import dev.atoll.engine.image.Unpacker;
import dev.atoll.engine.net.GuardedProxy;
import dev.atoll.engine.trust.HostCertificates;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds and fetches images by {@link PullProgram} in a process of its own, whose network is a
 * {@link GuardedProxy}.
 */
public final class ImagePuller {
  private static final String MEMORY = "-Xmx128m";
  private static final Duration WHOLE = Duration.ofMinutes(30);

  private final Proxies proxies;
  private final Set<String> insecure;
  private final long mostBytes;
  private final Unpacker unpacker;

  /** Opens a proxy for one pull. */
  public interface Proxies {
    GuardedProxy open() throws IOException;
  }

  /**
   * Who pulls.
   *
   * @param username null for a token
   * @param domains that the password may go to, besides the registry itself
   */
  public record Credentials(@Nullable String username, String password, List<String> domains) {
    public Credentials {
      domains = List.copyOf(domains);
    }

    /** Without the password. */
    @Override
    public String toString() {
      return "Credentials[" + username + "]";
    }
  }

  /**
   * An image that was found.
   *
   * @param digest of its manifest, as it was found to be; what the registry says of it counts for
   *     nothing
   */
  public record Found(String digest, ImageConfig config) {}

  /**
   * @param insecure hosts, with their port if it is not the usual one, that are spoken to without
   *     TLS
   * @param mostBytes that the layers of an image may have
   */
  public ImagePuller(Proxies proxies, Set<String> insecure, long mostBytes, Unpacker unpacker) {
    this.unpacker = unpacker;
    this.proxies = proxies;
    this.insecure = Set.copyOf(insecure);
    this.mostBytes = mostBytes;
  }

  /** The host that a reference names, with its port if it has one. */
  public static String registry(String reference) {
    try {
      return ImageReference.parse(reference).registry();
    } catch (IllegalArgumentException e) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT, "base.image is no reference of an image: " + reference);
    }
  }

  /** Finds out which image a reference means now. */
  public Found find(
      String reference, @Nullable Credentials credentials, Consumer<Process> started) {
    PullAnswer.Image image = run(reference, null, credentials, null, line -> {}, started);
    return new Found(image.digest(), ImageConfig.parse(image.config()));
  }

  /**
   * Fetches an image and lays it out.
   *
   * @param digest of the manifest that was found; null for what the reference means now
   * @param rootfs an empty folder
   * @param aside another one
   * @param started is given the process, to end it if need be
   */
  public void pull(
      String reference,
      @Nullable String digest,
      @Nullable Credentials credentials,
      Path rootfs,
      Path aside,
      Consumer<String> progress,
      Consumer<Process> started)
      throws IOException {
    PullAnswer.Image image = run(reference, digest, credentials, aside, progress, started);
    if (digest != null && !digest.equals(image.digest())) {
      throw new IllegalStateException(image.digest() + " was fetched for " + digest);
    }
    List<Unpacker.Step> layers = new ArrayList<>();
    for (int layer = 0; layer < image.layers(); layer++) {
      Path file = aside.resolve(PullProgram.fileName(layer));
      layers.add(new Unpacker.Step(Unpacker.Kind.LAYER, file));
    }
    unpacker.run(rootfs, mostBytes, layers, started);
  }

  private PullAnswer.Image run(
      String reference,
      @Nullable String digest,
      @Nullable Credentials credentials,
      @Nullable Path folder,
      Consumer<String> progress,
      Consumer<Process> started) {
    try (GuardedProxy proxy = proxies.open()) {
      Process process =
          start(
              new PullRequest(
                  reference,
                  digest,
                  credentials == null ? null : credentials.username(),
                  credentials == null ? null : credentials.password(),
                  credentials == null ? List.of() : credentials.domains(),
                  insecure.contains(registry(reference)),
                  proxy.port(),
                  HostCertificates.bundle().map(Path::toString).orElse(null),
                  folder == null ? null : folder.toString(),
                  mostBytes));
      // A registry that sends a byte now and then must not keep a build for ever.
      CompletableFuture<?> _ =
          process
              .onExit()
              .orTimeout(WHOLE.toSeconds(), TimeUnit.SECONDS)
              .whenComplete((ended, late) -> process.destroyForcibly());
      try {
        started.accept(process);
        return answer(process, reference, proxy, progress);
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      throw failed(reference, String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * Safe because its arguments are the server's own; what a stranger wrote goes to its standard
   * input.
   */
  private static Process start(PullRequest request) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                java,
                MEMORY,
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                PullProgram.class.getName()));
    builder.environment().clear();
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    Process process = builder.start();
    try (OutputStream in = process.getOutputStream()) {
      in.write(Json.lenient().writeValueAsBytes(request));
    }
    return process;
  }

  private static PullAnswer.Image answer(
      Process process, String reference, GuardedProxy proxy, Consumer<String> progress)
      throws IOException {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.startsWith("{")) {
          continue;
        }
        PullAnswer answer = Json.lenient().readValue(line, PullAnswer.class);
        if (answer.image() != null) {
          return answer.image();
        }
        if (answer.error() != null) {
          throw answer.reason() == null
              ? failed(reference, why(answer.error(), proxy), null)
              : refused(reference, answer.error(), answer.reason());
        }
        progress.accept(String.valueOf(answer.progress()));
      }
    }
    throw failed(reference, why("it broke off", proxy), null);
  }

  /** The proxy knows better why nothing was reached. */
  private static String why(String said, GuardedProxy proxy) {
    return proxy.refused().isEmpty() ? said : proxy.refused();
  }

  private static AtollException refused(String reference, String why, String reason) {
    return new AtollException(
        ErrorCode.IMAGE_REFUSED,
        "the image %s is refused: %s".formatted(reference, why),
        "nothing of it was kept; ask whoever runs the registry, or name another image",
        Map.of("reason", reason),
        null);
  }

  private static AtollException failed(String reference, String why, @Nullable Throwable cause) {
    return new AtollException(
        ErrorCode.TEMPLATE_BUILD_FAILED,
        "the image %s is not to be had: %s".formatted(reference, why),
        "check the reference and base.auth; registries without TLS or at private addresses have"
            + " to be named in template.insecure-hosts",
        Map.of(),
        cause);
  }
}
