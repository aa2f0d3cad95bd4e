package dev.atoll.engine;

import dev.atoll.driver.Driver;
import dev.atoll.driver.MachineLimits;
import dev.atoll.driver.MachineSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Machines that are begun ahead, as far as it goes without knowing the state that they will have. A
 * fork, a wake or a create from a snapshot that finds one of its shape takes about a third less.
 * They do not outlive the server. Thread-safe.
 */
final class Blanks implements PoolKeeper.Stock {
  private static final Logger LOG = LoggerFactory.getLogger(Blanks.class);

  /** Shapes that nobody asked for this long are given up, and so is the oldest beyond this many. */
  private static final Duration KEEP = Duration.ofMinutes(10);

  private static final int MAX_SHAPES = 3;
  private static final Duration RETRY = Duration.ofSeconds(5);

  /** What a machine has from its beginning. */
  record Shape(Driver driver, Path rootfs, MachineLimits limits) {}

  private static final class Shelf {
    final Deque<MachineSpec> ready = new ArrayDeque<>();
    Instant used = Instant.now();
    Instant notBefore = Instant.MIN;
  }

  private final Path folder;
  private final int count;
  // In the order of their last use.
  private final Map<Shape, Shelf> shelves = new LinkedHashMap<>();
  private boolean closed;
  private volatile Runnable taken = () -> {};

  /**
   * @param folder holds the machines' directories
   * @param count how many of each shape; 0 for none at all
   */
  Blanks(Path folder, int count) {
    this.folder = folder;
    this.count = count;
  }

  @Override
  public void onTake(Runnable listener) {
    taken = listener;
  }

  /** A machine of this shape, if one was begun; the next ones of its shape are from now on. */
  @Nullable MachineSpec take(Shape shape) {
    MachineSpec found;
    synchronized (this) {
      if (closed || count == 0) {
        return null;
      }
      Shelf shelf = shelves.remove(shape);
      if (shelf == null) {
        shelf = new Shelf();
      }
      shelf.used = Instant.now();
      shelves.put(shape, shelf);
      found = shelf.ready.pollFirst();
    }
    taken.run();
    return found;
  }

  @Override
  public boolean tend(BooleanSupplier room) {
    giveUp();
    Shape shape = missing();
    if (shape == null || !room.getAsBoolean()) {
      return false;
    }
    begin(shape);
    return missing() != null;
  }

  /** A template's root file system lies in a folder of its digest's name. */
  @Override
  public void drop(String digest) {
    Map<Shape, Shelf> dropped = new LinkedHashMap<>();
    synchronized (this) {
      for (Shape shape : List.copyOf(shelves.keySet())) {
        boolean made = shape.rootfs().endsWith(Path.of(digest, "rootfs"));
        Shelf shelf = made ? shelves.remove(shape) : null;
        if (shelf != null) {
          dropped.put(shape, shelf);
        }
      }
    }
    dropped.forEach((shape, shelf) -> shelf.ready.forEach(spec -> discard(shape.driver(), spec)));
  }

  /** How many wait. */
  synchronized int size() {
    return shelves.values().stream().mapToInt(shelf -> shelf.ready.size()).sum();
  }

  private void giveUp() {
    Map<Shape, Shelf> old = new LinkedHashMap<>();
    synchronized (this) {
      Instant since = Instant.now().minus(KEEP);
      List<Shape> shapes = new ArrayList<>(shelves.keySet());
      for (int i = 0; i < shapes.size(); i++) {
        Shelf shelf = shelves.get(shapes.get(i));
        if (shelf != null && (shapes.size() - i > MAX_SHAPES || shelf.used.isBefore(since))) {
          old.put(shapes.get(i), shelf);
          shelves.remove(shapes.get(i));
        }
      }
    }
    old.forEach((shape, shelf) -> shelf.ready.forEach(spec -> discard(shape.driver(), spec)));
  }

  private synchronized @Nullable Shape missing() {
    if (closed) {
      return null;
    }
    Instant now = Instant.now();
    return shelves.entrySet().stream()
        .filter(entry -> entry.getValue().ready.size() < count)
        .filter(entry -> now.isAfter(entry.getValue().notBefore))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(null);
  }

  private void begin(Shape shape) {
    String id = Ids.machine();
    MachineSpec spec = new MachineSpec(id, folder.resolve(id), shape.rootfs(), shape.limits());
    boolean kept = false;
    try {
      Files.createDirectories(spec.directory());
      if (shape.driver().prepare(spec)) {
        kept = keep(shape, spec);
      } else {
        putOff(shape, Duration.ofDays(1));
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("a machine could not be begun ahead: {}", e.getMessage());
      putOff(shape, RETRY);
    } finally {
      if (!kept) {
        discard(shape.driver(), spec);
      }
    }
  }

  private synchronized boolean keep(Shape shape, MachineSpec spec) {
    Shelf shelf = shelves.get(shape);
    if (closed || shelf == null) {
      return false;
    }
    return shelf.ready.add(spec);
  }

  private synchronized void putOff(Shape shape, Duration time) {
    Shelf shelf = shelves.get(shape);
    if (shelf != null) {
      shelf.notBefore = Instant.now().plus(time);
    }
  }

  private static void discard(Driver driver, MachineSpec spec) {
    try {
      driver.discard(spec);
      Trees.delete(spec.directory());
    } catch (UncheckedIOException e) {
      LOG.warn("machine {} that was begun ahead could not be removed", spec.id(), e);
    }
  }

  /** Removes all; none comes after them. */
  void close() {
    Map<Shape, Shelf> all;
    synchronized (this) {
      closed = true;
      all = new LinkedHashMap<>(shelves);
      shelves.clear();
    }
    all.forEach((shape, shelf) -> shelf.ready.forEach(spec -> discard(shape.driver(), spec)));
  }
}
