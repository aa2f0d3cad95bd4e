package dev.atoll.engine.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ImageChainTest {
  @TempDir Path folder;

  @Test
  void aHundredGenerationsCanGoInAnyOrder() throws IOException {
    Random random = new Random(7);
    ImageStore store = new ImageStore(folder, 0);
    Map<String, Map<String, byte[]>> expected = new HashMap<>();
    Map<String, byte[]> content = Checkpoints.random(random, 50);
    String parent = null;
    for (int i = 0; i < 100; i++) {
      String id = "image-" + i;
      Checkpoints.add(store, id, parent, content);
      store.compact(id);
      expected.put(id, content);
      content = Checkpoints.changed(random, content, 1);
      parent = id;
    }
    store.trim();
    List<String> order = new ArrayList<>(expected.keySet().stream().sorted().toList());
    Collections.shuffle(order, random);
    for (int i = 0; i < order.size(); i++) {
      store.delete(order.get(i));
      if (i + 1 < order.size()) {
        String survivor = order.get(i + 1 + random.nextInt(order.size() - i - 1));
        Checkpoints.assertSame(store, survivor, expected.getOrDefault(survivor, Map.of()));
      }
      if (i % 10 == 0) {
        store.trim();
      }
    }
    assertThat(Checkpoints.files(folder)).isEmpty();
  }

  /** Does anything to a store and to a model of it, which is a map, and compares them. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void aStoreIsAMapOfImages(long seed) throws IOException {
    Random random = new Random(seed);
    Map<String, Map<String, byte[]>> model = new HashMap<>();
    ImageStore store = new ImageStore(folder, random.nextInt(500_000));
    for (int step = 0; step < 120; step++) {
      List<String> ids = model.keySet().stream().sorted().toList();
      String any = ids.isEmpty() ? "" : ids.get(random.nextInt(ids.size()));
      switch (random.nextInt(ids.isEmpty() ? 1 : 8)) {
        case 0, 1 -> {
          Map<String, byte[]> content = next(random, model.get(any));
          String id = "image-" + step;
          Checkpoints.add(store, id, ids.isEmpty() ? null : any, content);
          model.put(id, content);
        }
        case 2, 3 -> store.compact(any);
        case 4 -> {
          store.delete(any);
          model.remove(any);
        }
        case 5 -> store.trim();
        case 6 -> Checkpoints.assertSame(store, any, model.getOrDefault(any, Map.of()));
        default -> {
          store = new ImageStore(folder, random.nextInt(500_000));
          assertThat(store.sweep(Set.copyOf(ids))).isEmpty();
        }
      }
    }
    long own = 0;
    for (Map.Entry<String, Map<String, byte[]>> image : model.entrySet()) {
      Checkpoints.assertSame(store, image.getKey(), image.getValue());
      ImageSize size = store.size(image.getKey());
      assertThat(size.totalBytes()).isEqualTo(Checkpoints.size(image.getValue()));
      own += size.ownBytes();
    }
    assertThat(own).isLessThanOrEqualTo(model.values().stream().mapToLong(Checkpoints::size).sum());
    model.keySet().forEach(store::delete);
    assertThat(Checkpoints.files(folder)).isEmpty();
  }

  /** A relative: pages kept, changed, moved, dropped, zeroed, and an odd end. */
  private static Map<String, byte[]> next(Random random, @Nullable Map<String, byte[]> parent) {
    if (parent == null || random.nextInt(10) == 0) {
      return Checkpoints.random(random, 1 + random.nextInt(40));
    }
    byte[] from = Checkpoints.pages(parent);
    byte[] to = new byte[random.nextInt(50) * Checkpoints.PAGE + random.nextInt(2) * 77];
    for (int at = 0; at < to.length; at += Checkpoints.PAGE) {
      int length = Math.min(Checkpoints.PAGE, to.length - at);
      byte[] page = new byte[length];
      int source = random.nextInt(4) == 0 ? random.nextInt(50) * Checkpoints.PAGE : at;
      switch (random.nextInt(10)) {
        case 0 -> random.nextBytes(page);
        case 1 -> {}
        default -> {
          int kept = Math.clamp(from.length - source, 0, length);
          System.arraycopy(from, Math.min(source, from.length), page, 0, kept);
        }
      }
      System.arraycopy(page, 0, to, at, length);
    }
    return Checkpoints.of(random, to);
  }
}
