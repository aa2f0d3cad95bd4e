package dev.atoll.engine.oci;

import dev.atoll.engine.image.TarOverlay;
import dev.atoll.engine.net.GuardedProxy;
import dev.atoll.engine.trust.HostCertificates;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import land.oras.ContainerRef;
import land.oras.exception.OrasException;
import org.jspecify.annotations.Nullable;

/**
 * Finds and fetches images by {@link PullProgram} in a process of its own, whose network is a
 * {@link GuardedProxy}.
 */
public final class ImagePuller {
  private static final String MEMORY = "-Xmx128m";

  private final Proxies proxies;
  private final Set<String> insecure;
  private final long mostBytes;

  /** Opens a proxy for one pull. */
  public interface Proxies {
    GuardedProxy open() throws IOException;
  }

  /**
   * Who pulls.
   *
   * @param username null for a token
   */
  public record Credentials(@Nullable String username, String password) {
    /** Without the password. */
    @Override
    public String toString() {
      return "Credentials[" + username + "]";
    }
  }

  /**
   * An image that was found.
   *
   * @param digest of its manifest
   */
  public record Found(String digest, ImageConfig config) {}

  /**
   * @param insecure hosts, with their port if it is not the usual one, that are spoken to without
   *     TLS
   * @param mostBytes that the layers of an image may have
   */
  public ImagePuller(Proxies proxies, Set<String> insecure, long mostBytes) {
    this.proxies = proxies;
    this.insecure = Set.copyOf(insecure);
    this.mostBytes = mostBytes;
  }

  /** The host that a reference names, with its port if it has one. */
  public static String registry(String reference) {
    try {
      return ContainerRef.parse(reference).getRegistry();
    } catch (OrasException | IllegalArgumentException e) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT, "base.image is no reference of an image: " + reference);
    }
  }

  /** Finds out which image a reference means now. */
  public Found find(
      String reference, @Nullable Credentials credentials, Consumer<Process> started) {
    PullAnswer.Image image = run(reference, credentials, null, line -> {}, started);
    return new Found(image.digest(), ImageConfig.parse(image.config()));
  }

  /**
   * Fetches an image and lays it out.
   *
   * @param rootfs an empty folder
   * @param aside another one
   * @param started is given the process, to end it if need be
   */
  public Found pull(
      String reference,
      @Nullable Credentials credentials,
      Path rootfs,
      Path aside,
      Consumer<String> progress,
      Consumer<Process> started)
      throws IOException {
    PullAnswer.Image image = run(reference, credentials, aside, progress, started);
    TarOverlay overlay = new TarOverlay(rootfs, mostBytes);
    for (String layer : image.layers()) {
      Path file = aside.resolve(PullProgram.fileName(layer));
      unpack(overlay, file, layer);
      Files.delete(file);
    }
    return new Found(image.digest(), ImageConfig.parse(image.config()));
  }

  /** What does not have its digest is not what was asked for. */
  private static void unpack(TarOverlay overlay, Path file, String digest) throws IOException {
    MessageDigest sha = sha256();
    try (InputStream in = new DigestInputStream(Files.newInputStream(file), sha)) {
      in.transferTo(OutputStream.nullOutputStream());
    }
    if (!digest.equals("sha256:" + HexFormat.of().formatHex(sha.digest()))) {
      throw new IOException("a layer of the image is not what its digest says");
    }
    try (InputStream in = Files.newInputStream(file)) {
      overlay.applyLayer(in);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private PullAnswer.Image run(
      String reference,
      @Nullable Credentials credentials,
      @Nullable Path folder,
      Consumer<String> progress,
      Consumer<Process> started) {
    String host = registry(reference);
    PullRequest request =
        new PullRequest(
            reference,
            credentials == null ? null : credentials.username(),
            credentials == null ? null : credentials.password(),
            insecure.contains(host),
            HostCertificates.bundle().map(Path::toString).orElse(null),
            folder == null ? null : folder.toString(),
            mostBytes);
    try (GuardedProxy proxy = proxies.open()) {
      Process process = start(proxy.port(), request);
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
  private static Process start(int proxy, PullRequest request) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                java,
                MEMORY,
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dhttp.proxyHost=127.0.0.1",
                "-Dhttp.proxyPort=" + proxy,
                "-Dhttps.proxyHost=127.0.0.1",
                "-Dhttps.proxyPort=" + proxy,
                "-Dhttp.nonProxyHosts=",
                "-cp",
                System.getProperty("java.class.path"),
                PullProgram.class.getName()));
    builder.environment().keySet().removeIf(name -> name.startsWith("ATOLL_"));
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
          throw failed(reference, why(answer.error(), proxy), null);
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
