package dev.atoll.server.mcp;

import dev.atoll.engine.Engine;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceTemplateSpecification;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.util.McpUriTemplateManager;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Files of sandboxes as resources: {@code atoll://SANDBOX/PATH}, where the path is absolute. The
 * sandbox {@code session} is the session's own.
 */
final class FileResources {
  private static final String TEMPLATE = "atoll://{sandbox}/{+path}";
  private static final String SCHEME = "atoll";
  private static final String OWN = "session";
  private static final long MOST_TEXT = 8 << 20;

  private final Engine engine;

  FileResources(Engine engine) {
    this.engine = engine;
  }

  static String uri(String sandbox, String path) {
    try {
      String absolute = path.startsWith("/") ? path : "/home/sandbox/" + path;
      return new URI(SCHEME, sandbox, absolute, null).toASCIIString();
    } catch (URISyntaxException e) {
      throw new AtollException(ErrorCode.INVALID_ARGUMENT, "this is no path of a file");
    }
  }

  SyncResourceTemplateSpecification specification() {
    McpSchema.ResourceTemplate template =
        McpSchema.ResourceTemplate.builder(TEMPLATE, "file")
            .title("A file of a sandbox")
            .description(
                "sandbox: an id, a name, or \"session\" for the session's own; path: absolute")
            .build();
    return new SyncResourceTemplateSpecification(template, this::read);
  }

  private McpSchema.ReadResourceResult read(
      McpSyncServerExchange exchange, McpSchema.ReadResourceRequest request) {
    try {
      McpCall call = (McpCall) exchange.transportContext().get(McpSession.CALL);
      McpSchema.ResourceContents contents = contents(call.session(), request.uri());
      return McpSchema.ReadResourceResult.builder(List.of(contents)).build();
    } catch (RuntimeException e) {
      throw McpErrors.thrown(e);
    }
  }

  private McpSchema.ResourceContents contents(McpSession session, String uri) {
    URI parsed = URI.create(uri);
    String named = Objects.requireNonNull(parsed.getAuthority());
    String sandbox = named.equals(OWN) ? session.sandboxes().current() : named;
    GuestFile file =
        GuestFile.read(
            engine.sandboxes().files(session.project(), sandbox), parsed.getPath(), 0, MOST_TEXT);
    return switch (file.content()) {
      case GuestFile.Text text ->
          McpSchema.TextResourceContents.builder(uri, text.text()).mimeType(file.type()).build();
      case GuestFile.Binary binary -> file.blob(uri, binary);
    };
  }

  /** The SDK's own reading of templates knows no paths with more than one part. */
  static final class Uris implements McpUriTemplateManager {
    private final String uri;

    Uris(String uri) {
      this.uri = uri;
    }

    @Override
    public List<String> getVariableNames() {
      return isUriTemplate(uri) ? List.of("sandbox", "path") : List.of();
    }

    @Override
    public Map<String, String> extractVariableValues(String requested) {
      URI parsed = URI.create(requested);
      return Map.of("sandbox", parsed.getAuthority(), "path", parsed.getPath());
    }

    @Override
    public boolean matches(String requested) {
      try {
        URI parsed = new URI(requested);
        return SCHEME.equals(parsed.getScheme())
            && parsed.getAuthority() != null
            && parsed.getPath().length() > 1;
      } catch (URISyntaxException e) {
        return false;
      }
    }

    @Override
    public boolean isUriTemplate(String text) {
      return text.contains("{");
    }
  }
}
