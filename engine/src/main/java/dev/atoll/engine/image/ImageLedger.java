package dev.atoll.engine.image;

import java.util.Set;

/**
 * Remembers which images were begun here, in another place than the images themselves. An image
 * that it does not know was not left by a crash: the ledger is not the one that belongs to it.
 */
public interface ImageLedger {
  /** Called before an image exists; when this returns, a power failure does not undo it. */
  void begun(String id);

  /** All that were begun, except for some that are gone. */
  Set<String> all();
}
