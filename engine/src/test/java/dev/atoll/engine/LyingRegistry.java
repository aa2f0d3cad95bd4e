package dev.atoll.engine;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.jspecify.annotations.Nullable;

/** A registry of images on loopback that says what a test wants it to say. */
final class LyingRegistry implements AutoCloseable {
  static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
  static final String INDEX = "application/vnd.oci.image.index.v1+json";
  static final String CONFIG = "application/vnd.oci.image.config.v1+json";
  static final String LAYER = "application/vnd.oci.image.layer.v1.tar";

  private final HttpServer server;
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private final Map<String, Guard> guards = new ConcurrentHashMap<>();

  /** What was asked, each with its header Authorization. */
  final List<Asked> asked = new CopyOnWriteArrayList<>();

  record Asked(String path, @Nullable String query, @Nullable String authorization) {}

  /** What is answered; without a length it comes in chunks. */
  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  record Answer(int status, Map<String, String> headers, byte[] content, boolean chunked) {}

  /** Who may read a repository, and what others are told. */
  record Guard(String authorization, String challenge) {}

  /** An image as it should be. */
  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  record Image(byte[] manifest, byte[] config, byte[] layer) {
    String digest() {
      return LyingRegistry.digest(manifest);
    }
  }

  LyingRegistry() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::serve);
    server.start();
  }

  String host() {
    return "localhost:" + server.getAddress().getPort();
  }

  private void serve(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    String authorization = exchange.getRequestHeaders().getFirst("Authorization");
    asked.add(new Asked(path, exchange.getRequestURI().getQuery(), authorization));
    Answer answer = answers.getOrDefault(path, new Answer(404, Map.of(), new byte[0], false));
    for (Map.Entry<String, Guard> guard : guards.entrySet()) {
      if (path.startsWith(guard.getKey())
          && !guard.getValue().authorization().equals(authorization)) {
        answer =
            new Answer(
                401, Map.of("WWW-Authenticate", guard.getValue().challenge()), new byte[0], false);
      }
    }
    answer.headers().forEach(exchange.getResponseHeaders()::set);
    int length = answer.content().length;
    try (exchange) {
      exchange.sendResponseHeaders(
          answer.status(), answer.chunked() ? 0 : length == 0 ? -1 : length);
      if (length > 0) {
        try (OutputStream out = exchange.getResponseBody()) {
          out.write(answer.content());
        }
      }
    } catch (IOException e) {
      // The client has seen enough.
    }
  }

  void guard(String repository, String authorization, String challenge) {
    guards.put("/v2/" + repository + "/", new Guard(authorization, challenge));
  }

  void answer(String path, Answer answer) {
    answers.put(path, answer);
  }

  void json(String path, String content) {
    answer(
        path, new Answer(200, Map.of("Content-Type", "application/json"), bytes(content), false));
  }

  void manifest(String repository, String name, String type, byte[] content) {
    answer(
        "/v2/%s/manifests/%s".formatted(repository, name),
        new Answer(200, Map.of("Content-Type", type), content, false));
  }

  void blob(String repository, String digest, byte[] content) {
    answer(
        "/v2/%s/blobs/%s".formatted(repository, digest), new Answer(200, Map.of(), content, true));
  }

  /** Puts an honest image there, under a tag and its digest. */
  Image push(String repository, String tag, String file) {
    byte[] config = bytes("{\"os\": \"linux\", \"architecture\": \"amd64\", \"config\": {}}");
    byte[] layer = layer(file);
    byte[] manifest = bytes(manifest(descriptor(CONFIG, config), descriptor(LAYER, layer)));
    Image image = new Image(manifest, config, layer);
    manifest(repository, tag, MANIFEST, manifest);
    manifest(repository, image.digest(), MANIFEST, manifest);
    blob(repository, digest(config), config);
    blob(repository, digest(layer), layer);
    return image;
  }

  static String manifest(String config, String... layers) {
    return """
        {"schemaVersion": 2, "mediaType": "%s", "config": %s, "layers": [%s]}\
        """
        .formatted(MANIFEST, config, String.join(",", layers));
  }

  static String index(String... entries) {
    return """
        {"schemaVersion": 2, "mediaType": "%s", "manifests": [%s]}\
        """
        .formatted(INDEX, String.join(",", entries));
  }

  /** An entry of an index, for machines of this kind. */
  static String entry(String type, String digest, long size) {
    return descriptor(type, digest, size)
        .replaceFirst("}$", ", \"platform\": {\"os\": \"linux\", \"architecture\": \"amd64\"}}");
  }

  static String descriptor(String type, byte[] content) {
    return descriptor(type, digest(content), content.length);
  }

  static String descriptor(String type, String digest, long size) {
    return "{\"mediaType\": \"%s\", \"digest\": \"%s\", \"size\": %d}"
        .formatted(type, digest, size);
  }

  /** A layer with one file of that name, whose content is its name. */
  static byte[] layer(String file) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes)) {
      for (String name : new ArrayList<>(List.of("etc/", file))) {
        TarArchiveEntry entry = new TarArchiveEntry(name);
        entry.setSize(entry.isDirectory() ? 0 : name.length());
        tar.putArchiveEntry(entry);
        if (!entry.isDirectory()) {
          tar.write(bytes(name));
        }
        tar.closeArchiveEntry();
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return bytes.toByteArray();
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String digest(byte[] content) {
    try {
      byte[] sha = MessageDigest.getInstance("SHA-256").digest(content);
      return "sha256:" + HexFormat.of().formatHex(sha);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
