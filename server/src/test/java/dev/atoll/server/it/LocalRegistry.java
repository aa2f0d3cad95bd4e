package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import land.oras.ContainerRef;
import land.oras.Layer;
import land.oras.Manifest;
import land.oras.Registry;
import land.oras.auth.UsernamePasswordProvider;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.bouncycastle.crypto.generators.OpenBSDBCrypt;

/** Debian's registry of images on loopback, which asks for a password, and images to put there. */
final class LocalRegistry implements AutoCloseable {
  static final String USER = "puller";
  static final String PASSWORD = "known-to-the-secret-alone";

  private final Process process;
  private final String host;

  LocalRegistry(Path folder) throws IOException, InterruptedException {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    host = "localhost:" + port;
    byte[] salt = "sixteen bytes ok".getBytes(StandardCharsets.UTF_8);
    String hash = OpenBSDBCrypt.generate("2y", PASSWORD.toCharArray(), salt, 4);
    Path passwords = Files.writeString(folder.resolve("htpasswd"), USER + ":" + hash + "\n");
    Path config =
        Files.writeString(
            folder.resolve("registry.yml"),
            """
            version: 0.1
            storage: {filesystem: {rootdirectory: %s}}
            http: {addr: "127.0.0.1:%d"}
            auth: {htpasswd: {realm: tests, path: %s}}
            """
                .formatted(folder.resolve("images"), port, passwords));
    process =
        new ProcessBuilder("docker-registry", "serve", config.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("registry.log").toFile())
            .start();
    // Also when the tests are ended from outside.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    await(port);
  }

  private void await(int port) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (true) {
      try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
        return;
      } catch (IOException e) {
        assertThat(process.isAlive()).as("docker-registry runs").isTrue();
        assertThat(System.nanoTime()).isLessThan(deadline);
        Thread.sleep(50);
      }
    }
  }

  String host() {
    return host;
  }

  /** Files of a layer: path to content; a content that begins with -> is a link. */
  static byte[] layer(Map<String, byte[]> files, boolean packed) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (TarArchiveOutputStream tar =
        new TarArchiveOutputStream(packed ? new GZIPOutputStream(bytes) : bytes)) {
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        String text = new String(file.getValue(), StandardCharsets.ISO_8859_1);
        boolean link = text.startsWith("->");
        TarArchiveEntry entry =
            link
                ? new TarArchiveEntry(file.getKey(), TarConstants.LF_SYMLINK)
                : new TarArchiveEntry(file.getKey());
        if (link) {
          entry.setLinkName(text.substring(2));
        } else {
          entry.setSize(file.getValue().length);
        }
        entry.setMode(0755);
        tar.putArchiveEntry(entry);
        if (!link) {
          tar.write(file.getValue());
        }
        tar.closeArchiveEntry();
      }
    }
    return bytes.toByteArray();
  }

  /** Puts an image there; its reference. */
  String push(String name, Map<String, Object> config, List<byte[]> layers) throws IOException {
    Registry registry =
        Registry.builder()
            .withInsecure(true)
            .withAuthProvider(new UsernamePasswordProvider(USER, PASSWORD))
            .build();
    ContainerRef reference = ContainerRef.parse(host + "/" + name);
    byte[] document =
        Json.lenient()
            .writeValueAsBytes(Map.of("architecture", "amd64", "os", "linux", "config", config));
    registry.pushBlob(reference.withDigest(digest(document)), document);
    StringBuilder list = new StringBuilder();
    for (byte[] layer : layers) {
      Layer _ = registry.pushBlob(reference.withDigest(digest(layer)), layer);
      list.append(list.isEmpty() ? "" : ",").append(descriptor("layer.v1.tar+gzip", layer));
    }
    Manifest manifest =
        Manifest.fromJson(
            """
            {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
             "config": %s, "layers": [%s]}
            """
                .formatted(descriptor("config.v1+json", document), list));
    Manifest _ = registry.pushManifest(reference, manifest);
    return host + "/" + name;
  }

  private static String descriptor(String type, byte[] content) {
    return "{\"mediaType\": \"application/vnd.oci.image.%s\", \"digest\": \"%s\", \"size\": %d}"
        .formatted(type, digest(content), content.length);
  }

  private static String digest(byte[] content) {
    try {
      byte[] sha = MessageDigest.getInstance("SHA-256").digest(content);
      return "sha256:" + HexFormat.of().formatHex(sha);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
