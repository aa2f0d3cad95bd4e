package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
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
  String push(String name, Map<String, Object> config, List<byte[]> layers)
      throws IOException, InterruptedException {
    String repository = name.replaceFirst(":.*", "");
    byte[] document =
        Json.lenient()
            .writeValueAsBytes(Map.of("architecture", "amd64", "os", "linux", "config", config));
    pushBlob(repository, document);
    StringBuilder list = new StringBuilder();
    for (byte[] layer : layers) {
      pushBlob(repository, layer);
      list.append(list.isEmpty() ? "" : ",").append(descriptor("layer.v1.tar+gzip", layer));
    }
    String manifest =
        """
        {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
         "config": %s, "layers": [%s]}
        """
            .formatted(descriptor("config.v1+json", document), list);
    put(
        URI.create("http://%s/v2/%s/manifests/%s".formatted(host, repository, tag(name))),
        "application/vnd.oci.image.manifest.v1+json",
        manifest.getBytes(StandardCharsets.UTF_8));
    return host + "/" + name;
  }

  private static String tag(String name) {
    return name.indexOf(':') < 0 ? "latest" : name.substring(name.indexOf(':') + 1);
  }

  private void pushBlob(String repository, byte[] content)
      throws IOException, InterruptedException {
    URI uploads = URI.create("http://%s/v2/%s/blobs/uploads/".formatted(host, repository));
    HttpResponse<String> begun = send(uploads, "POST", "application/octet-stream", new byte[0]);
    assertThat(begun.statusCode()).isEqualTo(202);
    String place = begun.headers().firstValue("Location").orElseThrow();
    String digest = "digest=" + digest(content);
    put(
        uploads.resolve(place + (place.indexOf('?') < 0 ? "?" : "&") + digest),
        "application/octet-stream",
        content);
  }

  private static void put(URI uri, String type, byte[] content)
      throws IOException, InterruptedException {
    HttpResponse<String> answer = send(uri, "PUT", type, content);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
  }

  private static HttpResponse<String> send(URI uri, String method, String type, byte[] content)
      throws IOException, InterruptedException {
    String user = USER + ":" + PASSWORD;
    String basic = Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8));
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
          HttpRequest.newBuilder(uri)
              .method(method, HttpRequest.BodyPublishers.ofByteArray(content))
              .header("Content-Type", type)
              .header("Authorization", "Basic " + basic)
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }
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
