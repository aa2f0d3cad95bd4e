package dev.atoll.engine.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostileArchiveTest {
  private static final int DIRECTORY = 0;
  private static final int FILE = 1;
  private static final int LINK = 2;
  private static final int HARD_LINK = 3;

  @TempDir Path folder;

  private void assertRefused(byte[] archive) throws IOException {
    Path outside = Files.createDirectory(folder.resolve("outside"));
    ImageStore store = new ImageStore(folder.resolve("store"), 0);
    for (boolean known : new boolean[] {false, true}) {
      Path unpacked = folder.resolve("work/unpacked");
      Files.createDirectories(folder.resolve("work"));
      if (known && !isRefusedUnseen(archive, store, unpacked)) {
        continue;
      }
      assertThatThrownBy(
              () ->
                  store.read(
                      "copy", new ByteArrayInputStream(archive), f -> known, unpacked, s -> true))
          .isInstanceOfSatisfying(
              AtollException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
      assertThat(outside).isEmptyDirectory();
      assertThat(folder.resolve("work")).isEmptyDirectory();
      assertThat(store.exists("copy")).isFalse();
      assertThat(store.sweep(Set.of())).isEmpty();
    }
  }

  /** A tree that is not unpacked may hold anything: nobody looks at it. */
  private static boolean isRefusedUnseen(byte[] archive, ImageStore store, Path unpacked)
      throws IOException {
    try {
      store.read("copy", new ByteArrayInputStream(archive), f -> true, unpacked, s -> true);
      assertThat(unpacked).doesNotExist();
      store.delete("copy");
      return false;
    } catch (AtollException e) {
      return true;
    }
  }

  static Stream<Arguments> trees() {
    return Stream.of(
        tree("parent directory", out -> file(out, "../outside/x")),
        tree("encoded parent directory", out -> file(out, "%2E%2E")),
        tree("encoded slash", out -> file(out, "..%2F..%2Foutside%2Fx")),
        tree("dot", out -> file(out, ".")),
        tree("zero byte", out -> file(out, "a%00b")),
        tree("broken encoding", out -> file(out, "a%zz")),
        tree("absolute name", out -> file(out, "/tmp/x")),
        tree("empty name", out -> file(out, "a//b")),
        tree("query", out -> file(out, "a?b")),
        tree("no directory", out -> file(out, "missing/x")),
        tree(
            "file as directory",
            out -> {
              file(out, "a");
              file(out, "a/b");
            }),
        tree(
            "through a symbolic link",
            out -> {
              TestArchive.entry(out, LINK, "a", 0, "../../outside");
              file(out, "a/x");
            }),
        tree(
            "over a symbolic link",
            out -> {
              TestArchive.entry(out, LINK, "a", 0, "../../outside/x");
              file(out, "a");
            }),
        tree(
            "directory over a symbolic link",
            out -> {
              TestArchive.entry(out, LINK, "a", 0, "../../outside");
              TestArchive.entry(out, DIRECTORY, "a", 0, "");
            }),
        tree(
            "hard link through a symbolic link",
            out -> {
              TestArchive.entry(out, LINK, "a", 0, "/etc/passwd");
              TestArchive.entry(out, HARD_LINK, "b", 0, "a");
            }),
        tree("hard link out", out -> TestArchive.entry(out, HARD_LINK, "b", 0, "/etc/passwd")),
        tree("second root", out -> TestArchive.entry(out, DIRECTORY, "", 0, "")),
        tree("link to nothing", out -> TestArchive.entry(out, LINK, "a", 0, "")),
        tree("device", out -> TestArchive.entry(out, 4, "a", 0, "")),
        tree("content of a directory", out -> TestArchive.entry(out, DIRECTORY, "a", 1, "")),
        tree("absurd size", out -> TestArchive.entry(out, FILE, "a", Long.MAX_VALUE, "")),
        tree("negative size", out -> TestArchive.entry(out, FILE, "a", -1, "")),
        tree("another tree than it says", out -> file(out, "a")));
  }

  private static Arguments tree(String what, TestArchive.Part part) {
    return Arguments.of(what, TestArchive.withTree(part));
  }

  private static void file(DataOutputStream out, String path) throws IOException {
    TestArchive.entry(out, FILE, path, 1, "");
    out.writeByte('x');
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("trees")
  void aHostileTreeIsRefused(String what, byte[] archive) throws IOException {
    assertRefused(archive);
  }

  @Test
  void anUnknownVersionIsRefused() throws IOException {
    assertRefused(TestArchive.of(out -> TestArchive.header(out, 2, 0)));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, Integer.MAX_VALUE})
  void anAbsurdDescriptionIsRefused(int length) throws IOException {
    assertRefused(TestArchive.of(out -> TestArchive.header(out, Archive.UNSIGNED_VERSION, length)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"../x", "/etc/x", "", "..", "a/b", ".hidden"})
  void aCheckpointFileStaysInItsFolder(String name) throws IOException {
    assertRefused(checkpoint(1, name, 0));
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MAX_VALUE, 1L << 60})
  void anAbsurdCheckpointIsRefused(long size) throws IOException {
    assertRefused(checkpoint(1, "pages.img", size));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 2, Integer.MAX_VALUE})
  void anAbsurdNumberOfFilesIsRefused(int count) throws IOException {
    assertRefused(checkpoint(count, "pages.img", 0));
  }

  private static byte[] checkpoint(int count, String name, long size) {
    return TestArchive.of(
        out -> {
          TestArchive.header(out, Archive.UNSIGNED_VERSION, 0);
          out.writeInt(count);
          for (int i = 0; i < Math.min(count, 2); i++) {
            out.writeUTF(name);
            out.writeLong(size);
          }
        });
  }
}
