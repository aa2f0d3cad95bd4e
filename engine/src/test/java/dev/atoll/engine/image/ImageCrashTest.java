package dev.atoll.engine.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every operation is cut off before each of its steps; the store must be as before or as after. */
class ImageCrashTest {
  private static final Set<String> FILLED = Set.of("base", "child", "fresh");
  private static final Set<String> ALL = Set.of("base", "child", "fresh", "new");

  @TempDir Path folder;
  private final Map<String, Map<String, byte[]>> contents = new TreeMap<>();

  /** A whole image, a compacted child of it without a copy, and one of its that is to be. */
  private void fill(Path store) {
    Random random = new Random(3);
    ImageStore images = new ImageStore(store, 0);
    put(images, "base", null, Checkpoints.random(random, 30));
    put(images, "child", "base", Checkpoints.changed(random, content("base"), 2));
    images.compact("child");
    images.trim();
    put(images, "fresh", "child", Checkpoints.changed(random, content("child"), 2));
    contents.put("new", Checkpoints.changed(random, content("child"), 1));
  }

  private void put(
      ImageStore images, String id, @Nullable String parent, Map<String, byte[]> content) {
    contents.put(id, content);
    Checkpoints.add(images, id, parent, content);
  }

  private Map<String, byte[]> content(String id) {
    return contents.getOrDefault(id, Map.of());
  }

  /**
   * Returns how many steps the operation has.
   *
   * @param uncertain the images that may be gone when it was cut off
   * @param after the images that are there when it was not
   */
  private int cutEverywhere(
      Consumer<ImageStore> operation, Set<String> uncertain, Set<String> after) throws IOException {
    for (int steps = 0; ; steps++) {
      Path store = folder.resolve("store-" + steps);
      fill(store);
      Set<String> before = new HashSet<>(FILLED);
      before.removeAll(uncertain);
      CrashingDisk disk = new CrashingDisk(steps + openingSteps(store));
      try {
        operation.accept(new ImageStore(store, 0, disk));
      } catch (CrashingDisk.Crash e) {
        assertThat(disk.crashed()).isTrue();
      }
      check(store, disk.crashed() ? before : after);
      if (!disk.crashed()) {
        return steps;
      }
    }
  }

  private static int openingSteps(Path store) {
    int steps = 0;
    while (true) {
      CrashingDisk disk = new CrashingDisk(steps);
      try {
        assertThat(new ImageStore(store, 0, disk)).isNotNull();
        return steps;
      } catch (CrashingDisk.Crash e) {
        steps++;
      }
    }
  }

  private void check(Path folder, Set<String> certain) throws IOException {
    ImageStore store = new ImageStore(folder, 0);
    // What only a power failure can tell apart must hold before the sweep too.
    certain.forEach(id -> assertThat(store.exists(id)).as(id).isTrue());
    store.sweep(ALL);
    assertThat(new ImageStore(folder, 0).sweep(ALL)).isEmpty();
    for (String round : new String[] {"as found", "assembled"}) {
      for (String id : ALL) {
        if (store.exists(id)) {
          assertThat(store.size(id).totalBytes()).as(round).isPositive();
          Checkpoints.assertSame(store, id, content(id));
        }
      }
      ALL.forEach(store::compact);
      store.trim();
    }
    ALL.forEach(store::delete);
    assertThat(Checkpoints.files(folder)).isEmpty();
  }

  @Test
  void add() throws IOException {
    int steps =
        cutEverywhere(
            store -> Checkpoints.add(store, "new", "child", content("new")), Set.of(), ALL);
    assertThat(steps).isGreaterThan(8);
  }

  @Test
  void compact() throws IOException {
    assertThat(cutEverywhere(store -> store.compact("fresh"), Set.of(), FILLED)).isGreaterThan(8);
  }

  @Test
  void compactAndTrim() throws IOException {
    cutEverywhere(
        store -> {
          store.compact("fresh");
          store.trim();
        },
        Set.of(),
        FILLED);
  }

  @Test
  void deleteOfAParent() throws IOException {
    assertThat(
            cutEverywhere(store -> store.delete("base"), Set.of("base"), Set.of("child", "fresh")))
        .isGreaterThan(2);
  }

  @Test
  void deleteOfAChild() throws IOException {
    assertThat(
            cutEverywhere(store -> store.delete("child"), Set.of("child"), Set.of("base", "fresh")))
        .isGreaterThan(3);
  }

  @Test
  void openOfAnImageWithoutACopy() throws IOException {
    assertThat(cutEverywhere(store -> store.open("child").close(), Set.of(), FILLED))
        .isGreaterThan(3);
  }

  @Test
  void sweep() throws IOException {
    cutEverywhere(store -> store.sweep(Set.of("child")), Set.of("base", "fresh"), Set.of("child"));
  }

  @Test
  void compactAfterTheParentWasDeleted() throws IOException {
    cutEverywhere(
        store -> {
          store.compact("fresh");
          store.delete("base");
          store.delete("child");
          store.trim();
        },
        Set.of("base", "child"),
        Set.of("fresh"));
  }
}
