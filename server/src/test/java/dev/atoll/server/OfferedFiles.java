package dev.atoll.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A host on loopback that offers archives as files and as layers of images. */
final class OfferedFiles implements AutoCloseable {
  private static final String IMAGE = "application/vnd.oci.image.";

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, Offer> offers = new ConcurrentHashMap<>();
  private final HttpServer server;

  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  private record Offer(String type, byte[] content) {}

  OfferedFiles() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::serve);
    server.start();
  }

  String host() {
    return "localhost:" + server.getAddress().getPort();
  }

  private void serve(HttpExchange exchange) throws IOException {
    Offer offer = offers.get(exchange.getRequestURI().getPath());
    try (exchange) {
      if (offer == null) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      exchange.getResponseHeaders().set("Content-Type", offer.type());
      exchange.sendResponseHeaders(200, offer.content().length == 0 ? -1 : offer.content().length);
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(offer.content());
      }
    }
  }

  /** Offers a file; the base of a recipe that names it. */
  String tarball(byte[] content) {
    String sha = sha256(content);
    offers.put("/" + sha, new Offer("application/octet-stream", content));
    return "{tarball: 'http://%s/%s', sha256: %s}".formatted(host(), sha, sha);
  }

  /** Offers an image of layers; the base of a recipe that names it. */
  String image(List<byte[]> layers) {
    List<String> described = new ArrayList<>();
    for (byte[] layer : layers) {
      described.add(blob("layer.v1.tar", layer));
    }
    byte[] config = bytes("{\"os\": \"linux\", \"architecture\": \"amd64\", \"config\": {}}");
    byte[] manifest =
        bytes(
            "{\"schemaVersion\": 2, \"mediaType\": \"%smanifest.v1+json\", \"config\": %s, \"layers\": [%s]}"
                .formatted(IMAGE, blob("config.v1+json", config), String.join(",", described)));
    String sha = sha256(manifest);
    Offer offer = new Offer(IMAGE + "manifest.v1+json", manifest);
    offers.put("/v2/hostile/manifests/sha256:" + sha, offer);
    return "{image: '%s/hostile@sha256:%s'}".formatted(host(), sha);
  }

  private String blob(String type, byte[] content) {
    String sha = sha256(content);
    offers.put("/v2/hostile/blobs/sha256:" + sha, new Offer("application/octet-stream", content));
    return "{\"mediaType\": \"%s%s\", \"digest\": \"sha256:%s\", \"size\": %d}"
        .formatted(IMAGE, type, sha, content.length);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String sha256(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
