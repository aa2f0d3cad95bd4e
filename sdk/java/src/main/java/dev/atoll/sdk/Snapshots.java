package dev.atoll.sdk;

import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotKind;
import dev.atoll.sdk.transport.HttpBody;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The snapshots of a project, made with {@link Sandbox#snapshot()}; {@link SandboxOptions#snapshot}
 * starts a sandbox from one.
 *
 * <p>Exports and imports of any size pass in flat memory. Failures on this machine's side are
 * {@link UncheckedIOException}s.
 */
public final class Snapshots {
  private static final String PATH = "/v1/snapshots";
  private static final String ZSTD = "application/zstd";
  private static final Duration TRANSFER_TIME = Duration.ofHours(12);

  private final Api api;

  Snapshots(Api api) {
    this.api = api;
  }

  /** The snapshots that somebody has taken, newest first; pages are fetched as needed. */
  public Pages<SnapshotInfo> list() {
    return list(query -> {});
  }

  /** The snapshots of a query: {@code list(q -> q.sandbox("lab").label("job", "42"))}. */
  public Pages<SnapshotInfo> list(Consumer<SnapshotQuery> query) {
    SnapshotQuery chosen = new SnapshotQuery();
    query.accept(chosen);
    return new Pages<>(cursor -> api.page(chosen.page(PATH, cursor), SnapshotInfo.class));
  }

  /**
   * A snapshot as the server knows it.
   *
   * @throws SnapshotNotFoundException if there is none
   */
  public SnapshotInfo get(String idOrName) {
    return api.call(ApiRequest.get(path(idOrName)), SnapshotInfo.class);
  }

  /** Deletes a snapshot. Sandboxes and snapshots that come from it are not touched. */
  public void delete(String idOrName) {
    api.send(ApiRequest.delete(path(idOrName)));
  }

  /**
   * Writes a snapshot to a file that another server can import. It appears there when it is
   * complete; a file that is there is replaced. Only this user may read it, since the memory of a
   * sandbox may hold secrets.
   */
  public void exportTo(String idOrName, Path file) {
    Path target = file.toAbsolutePath();
    try {
      Path aside = Files.createTempFile(target.getParent(), ".atoll-", ".part");
      try {
        try (OutputStream out = Files.newOutputStream(aside)) {
          exportTo(idOrName, out);
        }
        Files.move(aside, target, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(aside);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Writes a snapshot to a stream, without closing it, in the form that another server can import.
   *
   * @throws ConnectionException if the connection broke on the way; what was written is useless
   */
  public void exportTo(String idOrName, OutputStream to) {
    ApiRequest request =
        ApiRequest.get(path(idOrName) + "/export").accept(ZSTD).timeout(TRANSFER_TIME);
    Download.to(api, request, to);
  }

  /**
   * Makes a snapshot of a file that was exported, here or on another server. Memory is taken from
   * servers alone that the administrator trusts: else the snapshot is of kind files, and its note
   * says why.
   */
  public SnapshotInfo importFrom(Path file) {
    return imported(HttpBody.of(file), null, null);
  }

  /** Makes a snapshot with a name of a file that was exported. */
  public SnapshotInfo importFrom(Path file, String name) {
    return imported(HttpBody.of(file), name, null);
  }

  /** Makes a snapshot of a stream, read to its end without closing it. */
  public SnapshotInfo importFrom(InputStream from) {
    return imported(HttpBody.of(new Unclosed(from)), null, null);
  }

  /** Makes a snapshot with a name of a stream, read to its end without closing it. */
  public SnapshotInfo importFrom(InputStream from, String name) {
    return imported(HttpBody.of(new Unclosed(from)), name, null);
  }

  /**
   * Makes a snapshot of that kind or none: {@link SnapshotKind#MEMORY} is refused with the code
   * {@code snapshot_untrusted} unless a trusted server has exported it, and {@link
   * SnapshotKind#FILES} leaves the memory away whoever has.
   */
  public SnapshotInfo importFrom(InputStream from, @Nullable String name, SnapshotKind kind) {
    return imported(HttpBody.of(new Unclosed(from)), name, kind);
  }

  private SnapshotInfo imported(
      HttpBody content, @Nullable String name, @Nullable SnapshotKind kind) {
    ApiRequest request =
        ApiRequest.post(PATH + "/import")
            .query("name", name)
            .query("kind", kind == null ? null : kind.wire())
            .bytes(content, ZSTD)
            .timeout(TRANSFER_TIME);
    return api.call(request, SnapshotInfo.class);
  }

  private static String path(String idOrName) {
    return PATH + "/" + ApiRequest.segment(idOrName);
  }
}
