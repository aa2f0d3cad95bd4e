package dev.atoll.engine.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageStressTest {
  private static final Duration TIME = Duration.ofMillis(1500);
  private static final int THREADS = 6;

  @TempDir Path folder;
  private final ConcurrentSkipListMap<String, Map<String, byte[]>> live =
      new ConcurrentSkipListMap<>();
  private final AtomicInteger next = new AtomicInteger();

  @Test
  void everythingAtOnceLosesNothing() throws Exception {
    ImageStore store = new ImageStore(folder, 200_000);
    List<Future<?>> workers = new ArrayList<>();
    try (ExecutorService executor = Executors.newFixedThreadPool(THREADS)) {
      for (int i = 0; i < THREADS; i++) {
        Random random = new Random(i);
        workers.add(executor.submit(() -> work(store, random)));
      }
      for (Future<?> worker : workers) {
        worker.get();
      }
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    }
    live.forEach((id, content) -> Checkpoints.assertSame(store, id, content));
    assertThat(new ImageStore(folder, 0).sweep(live.keySet())).isEmpty();
    live.keySet().forEach(store::delete);
    assertNothingLeft();
  }

  private void assertNothingLeft() throws IOException {
    assertThat(Checkpoints.files(folder)).isEmpty();
  }

  private void work(ImageStore store, Random random) {
    long end = System.nanoTime() + TIME.toNanos();
    while (System.nanoTime() < end) {
      Map.Entry<String, Map<String, byte[]>> any =
          live.floorEntry("i" + random.nextInt(Math.max(1, next.get())));
      try {
        step(store, random, any == null ? Map.entry("none", Map.of()) : any);
      } catch (AtollException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND);
      }
    }
  }

  private void step(ImageStore store, Random random, Map.Entry<String, Map<String, byte[]>> any) {
    switch (random.nextInt(12)) {
      case 0, 1 -> {
        String id = "i" + next.getAndIncrement();
        Map<String, byte[]> content =
            any.getValue().isEmpty()
                ? Checkpoints.random(random, 20)
                : Checkpoints.changed(random, any.getValue(), 2);
        Checkpoints.add(store, id, any.getKey(), content);
        live.put(id, content);
      }
      case 2, 3, 4 -> store.compact(any.getKey());
      case 5, 6 -> {
        if (live.size() > 5 && live.remove(any.getKey()) != null) {
          store.delete(any.getKey());
        }
      }
      case 7 -> store.trim();
      case 8 -> assertThat(store.size(any.getKey()).totalBytes()).isPositive();
      default -> {
        try (Lease lease = store.open(any.getKey())) {
          Checkpoints.assertSame(lease, any.getValue());
        }
      }
    }
  }
}
