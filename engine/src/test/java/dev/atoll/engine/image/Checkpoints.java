package dev.atoll.engine.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Checkpoints made up of random pages, in the way that a driver writes them. */
final class Checkpoints {
  static final int PAGE = 4096;

  private Checkpoints() {}

  /** A checkpoint of so many random pages and a small file of state. */
  static Map<String, byte[]> random(Random random, int pages) {
    byte[] content = new byte[pages * PAGE];
    random.nextBytes(content);
    return of(random, content);
  }

  /** The same with some pages changed, and a new state. */
  static Map<String, byte[]> changed(Random random, Map<String, byte[]> parent, int pages) {
    byte[] content = pages(parent).clone();
    for (int i = 0; i < pages; i++) {
      int page = random.nextInt(content.length / PAGE);
      byte[] fresh = new byte[PAGE];
      random.nextBytes(fresh);
      System.arraycopy(fresh, 0, content, page * PAGE, PAGE);
    }
    return of(random, content);
  }

  static Map<String, byte[]> of(Random random, byte[] pages) {
    byte[] state = new byte[1000];
    random.nextBytes(state);
    return new TreeMap<>(Map.of("checkpoint.img", state, "pages.img", pages));
  }

  static byte[] pages(Map<String, byte[]> checkpoint) {
    byte[] pages = checkpoint.get("pages.img");
    assertThat(pages).isNotNull();
    return pages == null ? new byte[0] : pages;
  }

  static long size(Map<String, byte[]> checkpoint) {
    return checkpoint.values().stream().mapToLong(content -> content.length).sum();
  }

  static ImageSize add(
      ImageStore store, String id, @Nullable String parent, Map<String, byte[]> checkpoint) {
    Path aside = store.aside(id);
    try {
      Files.createDirectory(aside);
      for (Map.Entry<String, byte[]> file : checkpoint.entrySet()) {
        Files.write(aside.resolve(file.getKey()), file.getValue());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return store.add(id, parent);
  }

  static void assertSame(Lease lease, Map<String, byte[]> checkpoint) {
    assertThat(Disk.list(lease.directory()).stream().map(f -> f.getFileName().toString()))
        .containsExactlyElementsOf(checkpoint.keySet());
    checkpoint.forEach(
        (name, content) ->
            assertThat(
                    Arrays.equals(
                        Disk.unchecked(() -> Files.readAllBytes(lease.directory().resolve(name))),
                        content))
                .as("%s in %s", name, lease.directory())
                .isTrue());
  }

  static void assertSame(ImageStore store, String id, Map<String, byte[]> checkpoint) {
    try (Lease lease = store.open(id)) {
      assertSame(lease, checkpoint);
    }
  }

  /** All files below a folder, as paths relative to it. */
  static Stream<String> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all
          .filter(Files::isRegularFile)
          .map(file -> folder.relativize(file).toString())
          .toList()
          .stream();
    }
  }
}
