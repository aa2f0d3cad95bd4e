package dev.atoll.server.http;

import dev.atoll.model.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Objects;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * The API's description: the spec as it is reviewed, and a page made of it that loads nothing from
 * anywhere.
 */
final class ApiDocuments {
  private final byte[] spec = resource("openapi.yaml");
  private final byte[] page;
  private final String policy;

  ApiDocuments() {
    String script = new String(resource("docs.js"), StandardCharsets.UTF_8);
    JsonNode tree = new YAMLMapper().readTree(spec);
    page =
        new String(resource("docs.html"), StandardCharsets.UTF_8)
            .replace("/*style*/", new String(resource("docs.css"), StandardCharsets.UTF_8))
            .replace("/*spec*/", Json.lenient().writeValueAsString(tree).replace("<", "\\u003c"))
            .replace("/*script*/", script)
            .getBytes(StandardCharsets.UTF_8);
    policy =
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; img-src data:;"
            + " frame-ancestors 'none'; script-src 'sha256-"
            + sha256(script)
            + "'";
  }

  void spec(Exchange exchange) {
    exchange.send(200, "application/yaml;charset=utf-8", spec);
  }

  void page(Exchange exchange) {
    exchange.response().getHeaders().put("Content-Security-Policy", policy);
    exchange.response().getHeaders().put("X-Content-Type-Options", "nosniff");
    exchange.send(200, "text/html;charset=utf-8", page);
  }

  private static byte[] resource(String name) {
    try (InputStream input = ApiDocuments.class.getResourceAsStream(name)) {
      return Objects.requireNonNull(input, name).readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String sha256(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
