package dev.atoll.engine.store;

import dev.atoll.engine.image.ImageLedger;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/** The table of images that were made here. */
public final class ImageRows implements ImageLedger {
  private final Store store;

  public ImageRows(Store store) {
    this.store = store;
  }

  @Override
  public void begun(String id) {
    store.update("INSERT OR IGNORE INTO images (id) VALUES (?)", id);
  }

  @Override
  public Set<String> all() {
    return new HashSet<>(store.query(row -> row.getString(1), "SELECT id FROM images"));
  }

  /** Forgets all others; to be called when what they were is removed. */
  public void keep(Collection<String> kept) {
    store.freeing(
        () -> {
          for (String id : all()) {
            if (!kept.contains(id)) {
              store.update("DELETE FROM images WHERE id=?", id);
            }
          }
        });
  }
}
