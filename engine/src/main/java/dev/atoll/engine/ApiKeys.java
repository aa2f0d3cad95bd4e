package dev.atoll.engine;

import dev.atoll.engine.store.Store;
import dev.atoll.model.ApiKeyInfo;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The keys by which callers prove which project they belong to.
 *
 * <p>Keys are looked up by their hash, which tells nobody how much of a wrong key was right.
 */
public final class ApiKeys {
  private static final String PREFIX = "e2b_";
  private static final int SHOWN = 10;
  private static final Duration USE_NOTED_EVERY = Duration.ofMinutes(1);

  private final Store store;
  private final Map<String, Cached> cache = new ConcurrentHashMap<>();

  private record Cached(String id, KeyOwner owner, Instant noted) {}

  ApiKeys(Store store) {
    this.store = store;
  }

  /** Makes a key; its secret is in this answer and nowhere else. */
  public ApiKeyInfo create(String project, String name) {
    String secret = Tokens.next(PREFIX);
    ApiKeyInfo key =
        new ApiKeyInfo(
            "key_" + Tokens.hex(8),
            name,
            project,
            secret.substring(0, SHOWN),
            Instant.now(),
            null,
            secret);
    store.update(
        "INSERT INTO api_keys (id, project, name, prefix, hash, created_at) VALUES (?,?,?,?,?,?)",
        key.id(),
        project,
        name,
        key.prefix(),
        Tokens.hash(secret),
        key.createdAt().toEpochMilli());
    return key;
  }

  public List<ApiKeyInfo> list(String project) {
    return store.query(
        ApiKeys::read, "SELECT * FROM api_keys WHERE project=? ORDER BY created_at, id", project);
  }

  /** Makes a key worthless from now on. */
  public void revoke(String project, String id) {
    if (store.update("DELETE FROM api_keys WHERE project=? AND id=?", project, id) == 0) {
      throw new AtollException(ErrorCode.NOT_FOUND, "there is no key " + id);
    }
    cache.values().removeIf(cached -> cached.id().equals(id));
  }

  /** Lets a key do what concerns more than its own project. */
  public void appoint(String secret) {
    store.update("UPDATE api_keys SET administrator=1 WHERE hash=?", Tokens.hash(secret));
    cache.remove(Tokens.hash(secret));
  }

  /** Who a key stands for, or null when it is unknown or revoked. */
  public @Nullable KeyOwner ownerOf(String secret) {
    String hash = Tokens.hash(secret);
    Cached cached = cache.get(hash);
    Instant now = Instant.now();
    if (cached != null && cached.noted().plus(USE_NOTED_EVERY).isAfter(now)) {
      return cached.owner();
    }
    List<Cached> found =
        store.query(
            row ->
                new Cached(
                    row.getString("id"),
                    new KeyOwner(row.getString("project"), row.getBoolean("administrator")),
                    now),
            "SELECT * FROM api_keys WHERE hash=?",
            hash);
    if (found.isEmpty()) {
      cache.remove(hash);
      return null;
    }
    Cached key = found.getFirst();
    store.update("UPDATE api_keys SET last_used_at=? WHERE id=?", now.toEpochMilli(), key.id());
    cache.put(hash, key);
    return key.owner();
  }

  private static ApiKeyInfo read(ResultSet row) throws SQLException {
    Object used = row.getObject("last_used_at");
    return new ApiKeyInfo(
        row.getString("id"),
        row.getString("name"),
        row.getString("project"),
        row.getString("prefix"),
        Instant.ofEpochMilli(row.getLong("created_at")),
        used == null ? null : Instant.ofEpochMilli(((Number) used).longValue()),
        null);
  }
}
