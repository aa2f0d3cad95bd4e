package dev.atoll.engine.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.driver.testkit.hostile.HostileTars;
import dev.atoll.driver.testkit.hostile.RawTar;
import dev.atoll.driver.testkit.hostile.Sentinel;
import dev.atoll.engine.jail.Jailer;
import dev.atoll.engine.tree.TreeDirectory;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

class HostileTarTest {
  private static final long MOST_BYTES = 4L << 20;

  @TempDir Path folder;

  /** Lays an archive over a tree in one of the ways that there are. */
  @FunctionalInterface
  private interface Way {
    void apply(byte[] archive, Path root) throws IOException;
  }

  @TestFactory
  Stream<DynamicTest> archivesReachNothingOutside() throws IOException {
    return tried(
        (archive, root) -> {
          try (TarOverlay overlay = new TarOverlay(root, MOST_BYTES)) {
            overlay.apply(new ByteArrayInputStream(archive));
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> layersReachNothingOutside() throws IOException {
    return tried(
        (archive, root) -> {
          try (TarOverlay overlay = new TarOverlay(root, MOST_BYTES)) {
            overlay.applyLayer(new ByteArrayInputStream(archive));
          }
        });
  }

  /** As the server does it with tarballs and images. */
  @TestFactory
  Stream<DynamicTest> layersReachNothingOutsideOfTheJail() throws IOException {
    Unpacker unpacker = new Unpacker(Jailer.install(folder.resolve("bin")));
    return tried(
        (archive, root) -> {
          Path file = Files.write(root.resolveSibling("archive"), archive);
          Unpacker.Step step = new Unpacker.Step(Unpacker.Kind.LAYER, file);
          unpacker.run(root, MOST_BYTES, List.of(step), process -> {});
        });
  }

  private Stream<DynamicTest> tried(Way way) throws IOException {
    Path outside = folder.resolve("outside");
    Sentinel sentinel = Sentinel.make(outside);
    return HostileTars.all(outside).stream()
        .map(
            hostile ->
                DynamicTest.dynamicTest(hostile.name(), () -> attempt(hostile, way, sentinel)));
  }

  private void attempt(HostileTars.Hostile hostile, Way way, Sentinel sentinel) throws IOException {
    Path root = Files.createDirectories(folder.resolve("root"));
    Files.createDirectories(root.resolve("etc"));
    Files.writeString(root.resolve("etc/old"), "of the tree");
    String refusal = hostile.refusal();
    try {
      way.apply(hostile.archive(), root);
      assertThat(refusal).as("it is not refused").isIn(null, "");
    } catch (AtollException e) {
      assertThat(e.code()).isIn(ErrorCode.INVALID_ARGUMENT, ErrorCode.TOO_LARGE);
      assertThat(refusal).as(e.getMessage()).isNotNull();
      assertThat(e).hasMessageContaining(refusal);
      assertThat(String.valueOf(e.getMessage())).hasSizeLessThan(1000).doesNotContain("\0");
    }
    sentinel.assertUntouched();
    assertNothingSpecial(root);
    try (TreeDirectory parent = TreeDirectory.open(folder)) {
      parent.remove("root");
    }
    sentinel.assertUntouched();
    assertThat(root).doesNotExist();
  }

  /** No device and no pipe was made, and no file of the host got a second name. */
  private static void assertNothingSpecial(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.toList()) {
        int mode = (int) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        assertThat(mode & 0170000).as(file.toString()).isIn(0040000, 0100000, 0120000);
      }
    }
  }

  @Test
  void moreEntriesThanMayBeAreRefused() throws IOException {
    RawTar tar = new RawTar();
    for (int i = 0; i < 11; i++) {
      tar.file("f" + i, "x");
    }
    assertThatThrownBy(() -> bounded(new UnpackBounds(1 << 20, 1 << 20, 10, 1 << 12, 1 << 12), tar))
        .isInstanceOf(AtollException.class)
        .hasMessageContaining("more than 10 entries");
  }

  @Test
  void morePathsOfDirectoriesThanMayBeAreRefused() throws IOException {
    RawTar tar = new RawTar();
    for (int i = 0; i < 100; i++) {
      tar.directory("directory-" + i + "/", 0755);
    }
    assertThatThrownBy(() -> bounded(new UnpackBounds(1 << 20, 1 << 20, 1000, 1 << 12, 500), tar))
        .isInstanceOf(AtollException.class)
        .hasMessageContaining("more than 500 bytes");
  }

  private void bounded(UnpackBounds bounds, RawTar tar) throws IOException {
    Path root = Files.createDirectory(folder.resolve("bounded"));
    try (TarOverlay overlay = new TarOverlay(root, bounds)) {
      overlay.apply(new ByteArrayInputStream(tar.archive()));
    }
  }

  @Test
  void manyEntriesTakeNoMemory() throws IOException {
    RawTar tar = new RawTar();
    for (int i = 0; i < 100_000; i++) {
      tar.file("same", "");
    }
    Path root = Files.createDirectory(folder.resolve("many"));
    Path file = Files.write(folder.resolve("archive"), RawTar.zstd(tar.archive()));
    new Unpacker(Jailer.install(folder.resolve("bin")))
        .run(
            root, MOST_BYTES, List.of(new Unpacker.Step(Unpacker.Kind.LAYER, file)), process -> {});
    assertThat(root.resolve("same")).isEmptyFile();
  }
}
