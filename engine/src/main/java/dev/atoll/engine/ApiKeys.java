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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys by which callers prove which project they belong to.
 *
 * <p>Keys are looked up by their hash, which tells nobody how much of a wrong key was right.
 */
public final class ApiKeys {
  private static final Logger LOG = LoggerFactory.getLogger(ApiKeys.class);
  private static final String PREFIX = "e2b_";
  private static final int SHOWN = 10;
  private static final Duration USE_NOTED_EVERY = Duration.ofMinutes(1);

  private final Store store;
  private final Map<String, Cached> cache = new ConcurrentHashMap<>();

  private record Cached(KeyOwner owner, Instant noted) {}

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

  /** The keys of the caller's project; administrators' keys are for administrators to see. */
  public List<ApiKeyInfo> list(KeyOwner caller) {
    return store.query(
        ApiKeys::read,
        "SELECT * FROM api_keys WHERE project=? AND administrator<=? ORDER BY created_at, id",
        caller.project(),
        caller.administrator());
  }

  /** Makes a key worthless from now on. For others than administrators theirs are not there. */
  public void revoke(KeyOwner caller, String id) {
    List<String> hashes =
        store.query(
            row -> row.getString(1),
            "SELECT hash FROM api_keys WHERE project=? AND id=? AND administrator<=?",
            caller.project(),
            id,
            caller.administrator());
    if (hashes.isEmpty()) {
      throw new AtollException(ErrorCode.NOT_FOUND, "there is no key " + id);
    }
    // Within the entry, so that no request which looks the key up just now puts it back.
    cache.compute(
        hashes.getFirst(),
        (hash, cached) -> {
          store.update("DELETE FROM api_keys WHERE hash=?", hash);
          return null;
        });
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
    Cached key = cache.compute(hash, (same, before) -> lookUp(same, now));
    return key == null ? null : key.owner();
  }

  private @Nullable Cached lookUp(String hash, Instant now) {
    List<Cached> found =
        store.query(
            row ->
                new Cached(
                    new KeyOwner(row.getString("project"), row.getBoolean("administrator")), now),
            "SELECT * FROM api_keys WHERE hash=?",
            hash);
    if (found.isEmpty()) {
      return null;
    }
    noteUse(hash, now);
    return found.getFirst();
  }

  /** Who only reads is let in also when nothing can be written. */
  private void noteUse(String hash, Instant now) {
    try {
      store.update("UPDATE api_keys SET last_used_at=? WHERE hash=?", now.toEpochMilli(), hash);
    } catch (AtollException e) {
      LOG.debug("the use of a key was not noted: {}", e.getMessage());
    }
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
