package dev.atoll.engine.image;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the store knows in memory: the manifests, how many of them refer to each unit, which units
 * are ready to restore from, and which are in use.
 *
 * <p>Thread-safe; callers that need several answers of one moment synchronize on it. It is never
 * held across anything slower than a rename, so opening an image that is ready never waits.
 */
final class Catalog {
  private final Map<String, Manifest> images = new HashMap<>();
  private final Map<String, Integer> references = new HashMap<>();
  private final Map<String, Integer> pins = new HashMap<>();
  private final Map<String, String> ready = new HashMap<>();
  private long removals;

  synchronized @Nullable Manifest find(String id) {
    return images.get(id);
  }

  synchronized List<String> ids() {
    return images.keySet().stream().sorted().toList();
  }

  /** The manifests of this moment, which change no more. */
  synchronized Map<String, Manifest> snapshot() {
    return Map.copyOf(images);
  }

  synchronized void put(String id, Manifest manifest) {
    manifest.units().forEach(unit -> references.merge(unit, 1, Integer::sum));
    Manifest previous = images.put(id, manifest);
    if (previous != null) {
      // A compacted image may refer to less than before.
      removals++;
      forget(previous);
    }
  }

  /** Returns the units that may be garbage now. */
  synchronized Set<String> remove(String id) {
    Set<String> units = new HashSet<>();
    removals++;
    Manifest manifest = images.remove(id);
    if (manifest != null) {
      forget(manifest);
      units.addAll(manifest.units());
    }
    String copy = ready.remove(id);
    if (copy != null) {
      units.add(copy);
    }
    return units;
  }

  /** How often references were dropped; tells whether a snapshot is out of date. */
  synchronized long removals() {
    return removals;
  }

  private void forget(Manifest manifest) {
    for (String unit : manifest.units()) {
      references.computeIfPresent(unit, (name, count) -> count == 1 ? null : count - 1);
    }
  }

  synchronized boolean isReferred(String unit) {
    return references.containsKey(unit);
  }

  /** Whether somebody reads the unit. */
  synchronized boolean isPinned(String unit) {
    return pins.containsKey(unit);
  }

  synchronized void pin(Collection<String> units) {
    units.forEach(unit -> pins.merge(unit, 1, Integer::sum));
  }

  synchronized void unpin(Collection<String> units) {
    for (String unit : units) {
      pins.computeIfPresent(unit, (name, count) -> count == 1 ? null : count - 1);
    }
  }

  /** The unit to restore an image from at once. */
  synchronized @Nullable String ready(String id) {
    return ready.get(id);
  }

  synchronized void setReady(String id, String unit) {
    ready.put(id, unit);
  }

  synchronized boolean isReady(String unit) {
    return unit.equals(ready.get(Units.image(unit)));
  }

  /** The ready units that no manifest refers to: they can be assembled again. */
  synchronized List<String> spareCopies() {
    List<String> spare = new ArrayList<>(ready.values());
    spare.removeIf(this::isReferred);
    return spare;
  }

  /** Gives a spare copy up, unless it is in use or no spare one (any more). */
  synchronized boolean giveUp(String unit) {
    if (isPinned(unit) || isReferred(unit) || !isReady(unit)) {
      return false;
    }
    ready.remove(Units.image(unit));
    return true;
  }
}
