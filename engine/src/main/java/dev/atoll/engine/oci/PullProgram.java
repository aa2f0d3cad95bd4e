package dev.atoll.engine.oci;

import dev.atoll.model.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import land.oras.ContainerRef;
import land.oras.Index;
import land.oras.Layer;
import land.oras.Manifest;
import land.oras.ManifestDescriptor;
import land.oras.Platform;
import land.oras.Registry;
import land.oras.auth.AuthProvider;
import land.oras.auth.BearerTokenProvider;
import land.oras.auth.NoAuthProvider;
import land.oras.auth.UsernamePasswordProvider;
import land.oras.exception.OrasException;
import org.jspecify.annotations.Nullable;

/**
 * Fetches one image and ends. A process of its own, because the library that it uses keeps tokens
 * for everybody in its process and reads manifests of any size, and because its whole network goes
 * through the proxy that the server gives it.
 */
final class PullProgram {
  private static final long MOST_CONFIG = 4L << 20;
  private static final int MOST_LAYERS = 500;

  private final PullRequest request;
  private final PrintStream out;
  private final Registry registry;

  private PullProgram(PullRequest request, PrintStream out) {
    this.request = request;
    this.out = out;
    Registry.Builder builder =
        Registry.builder().withAuthProvider(auth(request)).withInsecure(request.insecure());
    String authorities = request.authorities();
    if (authorities != null && !request.insecure()) {
      builder.withCaFile(Path.of(authorities));
    }
    this.registry = builder.build();
  }

  private static AuthProvider auth(PullRequest request) {
    String password = request.password();
    if (password == null) {
      return new NoAuthProvider();
    }
    return request.username() == null
        ? new BearerTokenProvider(password)
        : new UsernamePasswordProvider(request.username(), password);
  }

  /** Reads a {@link PullRequest}, prints {@link PullAnswer}s. */
  public static void main(String[] args) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    PullRequest request = Json.lenient().readValue(System.in.readAllBytes(), PullRequest.class);
    try {
      PullAnswer.Image image = new PullProgram(request, out).run();
      print(out, new PullAnswer(null, image, null));
    } catch (OrasException | IOException | IllegalArgumentException e) {
      print(out, new PullAnswer(null, null, String.valueOf(e.getMessage())));
    }
  }

  private static void print(PrintStream out, PullAnswer answer) {
    out.println(Json.lenient().writeValueAsString(answer));
  }

  private PullAnswer.Image run() throws IOException {
    ContainerRef asked = ContainerRef.parse(request.reference());
    ContainerRef reference = forThisMachine(asked);
    Manifest manifest = registry.getManifest(reference);
    List<Layer> layers = manifest.getLayers();
    if (layers.size() > MOST_LAYERS) {
      throw new IOException("the image has more than " + MOST_LAYERS + " layers");
    }
    if (size(manifest.getConfig().getSize()) > MOST_CONFIG) {
      throw new IOException("the configuration of the image is too large");
    }
    String config;
    try (InputStream in =
        registry.fetchBlob(reference.withDigest(checked(manifest.getConfig().getDigest())))) {
      config = new String(in.readNBytes((int) MOST_CONFIG), StandardCharsets.UTF_8);
    }
    if (request.folder() != null) {
      fetch(reference, layers, Path.of(request.folder()));
    }
    List<String> digests = new ArrayList<>();
    for (Layer layer : layers) {
      digests.add(checked(layer.getDigest()));
    }
    return new PullAnswer.Image(digest(reference, manifest), config, digests);
  }

  private static String digest(ContainerRef reference, Manifest manifest) {
    String digest = reference.getDigest();
    return digest != null ? digest : String.valueOf(manifest.getDescriptor().getDigest());
  }

  private ContainerRef forThisMachine(ContainerRef reference) throws IOException {
    String type = String.valueOf(registry.getDescriptor(reference).getMediaType());
    if (!type.contains("index") && !type.contains("manifest.list")) {
      return reference;
    }
    Index index = registry.getIndex(reference);
    List<ManifestDescriptor> fitting = new ArrayList<>(index.filter(Platform.linuxAmd64()));
    if (fitting.isEmpty()) {
      throw new IOException("the image has no variant for linux/amd64");
    }
    return reference.withDigest(fitting.getFirst().getDigest());
  }

  private void fetch(ContainerRef reference, List<Layer> layers, Path folder) throws IOException {
    long left = request.mostBytes();
    int number = 0;
    for (Layer layer : layers) {
      number++;
      String message =
          "layer %d of %d (%d KiB)".formatted(number, layers.size(), size(layer.getSize()) >> 10);
      print(out, new PullAnswer(message, null, null));
      Path file = folder.resolve(fileName(layer.getDigest()));
      try (InputStream in = registry.fetchBlob(reference.withDigest(checked(layer.getDigest())));
          OutputStream to = Files.newOutputStream(file)) {
        left -= copy(in, to, left);
      }
    }
  }

  /** Digests come from the registry; as names of files they must not lead anywhere. */
  static String fileName(@Nullable String digest) throws IOException {
    return checked(digest).substring("sha256:".length());
  }

  private static String checked(@Nullable String digest) throws IOException {
    if (digest == null || !digest.matches("sha256:[0-9a-f]{64}")) {
      throw new IOException("a digest that is none of SHA-256: " + digest);
    }
    return digest;
  }

  private static long copy(InputStream in, OutputStream out, long most) throws IOException {
    byte[] buffer = new byte[1 << 16];
    long copied = 0;
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      copied += n;
      if (copied > most) {
        throw new IOException("the image is larger than a template may be");
      }
      out.write(buffer, 0, n);
    }
    return copied;
  }

  private static long size(@Nullable Long size) {
    return size == null ? 0 : size;
  }
}
