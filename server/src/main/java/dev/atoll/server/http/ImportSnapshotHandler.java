package dev.atoll.server.http;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotKind;
import dev.atoll.model.SnapshotRequest;
import java.io.InputStream;
import java.util.Map;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/** {@code POST /v1/snapshots/import}: takes an exported snapshot of any size, streamed. */
final class ImportSnapshotHandler implements Operation {
  private static final Set<String> TYPES = Set.of("application/zstd", "application/octet-stream");

  /** Where snapshots go. */
  @FunctionalInterface
  interface Target {
    SnapshotInfo importFrom(
        String project, InputStream in, @Nullable String name, @Nullable SnapshotKind kind);
  }

  private final Target target;

  ImportSnapshotHandler(Target target) {
    this.target = target;
  }

  @Override
  public void handle(Exchange exchange) {
    String name = name(exchange.query());
    SnapshotKind kind = kind(exchange.query().text("kind"));
    requireArchive(exchange.mediaType());
    // Not closed here: closing would drop the connection of a caller who is still sending and
    // should learn why his file is refused.
    InputStream body = exchange.input();
    SnapshotInfo snapshot = target.importFrom(exchange.project(), body, name, kind);
    exchange.response().getHeaders().put(HttpHeader.LOCATION, "/v1/snapshots/" + snapshot.id());
    exchange.json(201, snapshot);
  }

  /** The name, by the rules for every snapshot, before gigabytes are read in vain. */
  private static @Nullable String name(Query query) {
    return new SnapshotRequest(query.text("name"), Map.of(), SnapshotKind.MEMORY).name();
  }

  private static @Nullable SnapshotKind kind(@Nullable String text) {
    try {
      return text == null ? null : SnapshotKind.of(text);
    } catch (IllegalArgumentException e) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT,
          "kind must be memory or files",
          null,
          Map.of("field", "kind"),
          e);
    }
  }

  private static void requireArchive(@Nullable String type) {
    if (type != null && !TYPES.contains(type)) {
      throw new AtollException(
          ErrorCode.UNSUPPORTED_MEDIA_TYPE,
          "the body is " + type + ", must be application/zstd",
          "Send an exported file with the header \"Content-Type: application/zstd\".");
    }
  }
}
