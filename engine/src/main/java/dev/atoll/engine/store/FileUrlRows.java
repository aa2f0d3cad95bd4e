package dev.atoll.engine.store;

import java.util.Optional;

/** The table of what signed URLs of files are bound to. */
public final class FileUrlRows {
  private final Store store;

  public FileUrlRows(Store store) {
    this.store = store;
  }

  /** What URLs of a sandbox are bound to; empty while none is good. */
  public Optional<String> find(String sandbox) {
    return store
        .query(
            row -> row.getString("nonce"), "SELECT nonce FROM file_urls WHERE sandbox=?", sandbox)
        .stream()
        .findFirst();
  }

  /** What URLs of a sandbox are bound to from now on, unless there is something already. */
  public void offer(String sandbox, String nonce) {
    store.update("INSERT OR IGNORE INTO file_urls (sandbox, nonce) VALUES (?,?)", sandbox, nonce);
  }

  /** Makes all URLs of a sandbox worthless. */
  public void delete(String sandbox) {
    store.update("DELETE FROM file_urls WHERE sandbox=?", sandbox);
  }

  /** Forgets what belongs to sandboxes that have ended. */
  public void purge() {
    store.update(
        "DELETE FROM file_urls WHERE sandbox NOT IN"
            + " (SELECT id FROM sandboxes WHERE ended_at IS NULL)");
  }
}
