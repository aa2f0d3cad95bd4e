package dev.atoll.engine.image;

import static dev.atoll.engine.image.Checkpoints.PAGE;
import static dev.atoll.engine.image.Checkpoints.assertSame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ImageStoreTest {
  private final Path folder;
  private final Random random = new Random(1);
  private final ImageStore store;
  private final Map<String, byte[]> base = Checkpoints.random(random, 200);

  ImageStoreTest(@TempDir Path folder) {
    this.folder = folder;
    store = new ImageStore(folder.resolve("images"), 0);
    Checkpoints.add(store, "base", null, base);
  }

  private Map<String, byte[]> child(String id, String parent, Map<String, byte[]> from) {
    Map<String, byte[]> content = Checkpoints.changed(random, from, 3);
    Checkpoints.add(store, id, parent, content);
    store.compact(id);
    return content;
  }

  @Test
  void anAddedImageIsOpenedWhereItWasPut() {
    assertThat(store.exists("base")).isTrue();
    assertThat(store.size("base"))
        .isEqualTo(new ImageSize(Checkpoints.size(base), Checkpoints.size(base)));
    assertSame(store, "base", base);
    store.compact("base");
    store.trim();
    assertThat(folder.resolve("images/whole/base")).isDirectory();
    assertThat(folder.resolve("images/layers")).isEmptyDirectory();
  }

  @Test
  void aChildCostsItsChangedPages() {
    Map<String, byte[]> content = child("child", "base", base);
    assertThat(store.size("child"))
        .isEqualTo(new ImageSize(Checkpoints.size(content), 3 * PAGE + 1000));
    assertThat(folder.resolve("images/layers/child")).hasSize(3 * PAGE + 1000);
    assertThat(store.size("base").ownBytes()).isEqualTo(3 * PAGE + 1000);
  }

  @Test
  void aCompactedImageStaysReadyUntilItIsTrimmed() {
    Map<String, byte[]> content = child("child", "base", base);
    assertThat(folder.resolve("images/whole/child")).isDirectory();
    store.trim();
    assertThat(folder.resolve("images/whole/child")).doesNotExist();
    assertSame(store, "child", content);
    assertSame(store, "child", content);
    store.trim();
    assertSame(new ImageStore(folder.resolve("images"), 0), "child", content);
  }

  @Test
  void aShortFileIsReadWithoutPuttingTheImageTogether() {
    Map<String, byte[]> content = Checkpoints.changed(random, base, 3);
    content.put("note", "20260905".getBytes(StandardCharsets.UTF_8));
    Checkpoints.add(store, "child", "base", content);
    assertThat(store.text("child", "note")).hasValue("20260905");
    store.compact("child");
    store.trim();

    assertThat(store.text("child", "note")).hasValue("20260905");
    assertThat(store.text("child", "other")).isEmpty();
    assertThat(store.text("nobody", "note")).isEmpty();
    assertThat(folder.resolve("images/whole/child")).doesNotExist();
  }

  @Test
  void trimmingKeepsWhatFitsAndWasUsedLast() {
    ImageStore roomy = new ImageStore(folder.resolve("images"), Checkpoints.size(base));
    for (String id : new String[] {"a", "b"}) {
      Checkpoints.add(roomy, id, "base", Checkpoints.changed(random, base, 2));
      roomy.compact(id);
    }
    roomy.open("a").close();
    roomy.trim();
    assertThat(folder.resolve("images/whole/a")).isDirectory();
    assertThat(folder.resolve("images/whole/b")).doesNotExist();
  }

  @Test
  void movedPagesAreFound() {
    byte[] pages = Checkpoints.pages(base);
    byte[] moved = new byte[pages.length + PAGE + 17];
    System.arraycopy(pages, 0, moved, PAGE, pages.length);
    moved[0] = 1;
    moved[moved.length - 1] = 1;
    Map<String, byte[]> content = Checkpoints.of(random, moved);
    Checkpoints.add(store, "moved", "base", content);
    store.compact("moved");
    assertThat(store.size("moved").ownBytes()).isEqualTo(PAGE + 17 + 1000);
    store.trim();
    assertSame(store, "moved", content);
  }

  @Test
  void zerosTakeNoRoom() {
    byte[] pages = new byte[300 * PAGE + 5];
    System.arraycopy(Checkpoints.pages(base), 0, pages, 150 * PAGE, 50 * PAGE);
    Map<String, byte[]> content = Checkpoints.of(random, pages);
    Checkpoints.add(store, "zeros", "base", content);
    store.compact("zeros");
    store.trim();
    assertThat(store.size("zeros").ownBytes()).isEqualTo(1000);
    assertSame(store, "zeros", content);
  }

  @Test
  void anImageThatSharesHardlyAnythingStaysWhole() {
    Map<String, byte[]> content = Checkpoints.random(random, 100);
    Checkpoints.add(store, "other", "base", content);
    store.compact("other");
    store.trim();
    assertThat(folder.resolve("images/whole/other")).isDirectory();
    assertSame(store, "other", content);
  }

  @Test
  void aChildOutlivesItsParents() {
    Map<String, byte[]> child = child("child", "base", base);
    Map<String, byte[]> grandchild = child("grandchild", "child", child);
    store.trim();
    store.delete("base");
    store.delete("child");
    assertThat(store.exists("base")).isFalse();
    assertSame(store, "grandchild", grandchild);
    ImageStore reopened = new ImageStore(folder.resolve("images"), 0);
    assertThat(reopened.sweep(Set.of("grandchild"))).isEmpty();
    reopened.trim();
    assertSame(reopened, "grandchild", grandchild);
  }

  @Test
  void aChildIsCompactedAfterItsParent() {
    Map<String, byte[]> child = Checkpoints.changed(random, base, 2);
    Map<String, byte[]> grandchild = Checkpoints.changed(random, child, 2);
    Checkpoints.add(store, "child", "base", child);
    Checkpoints.add(store, "grandchild", "child", grandchild);
    store.compact("grandchild");
    store.trim();
    assertThat(folder.resolve("images/whole/child")).doesNotExist();
    assertSame(store, "child", child);
    assertSame(store, "grandchild", grandchild);
  }

  @Test
  void aChildWhoseParentIsGoneIsComparedWithItsGrandparent() {
    Map<String, byte[]> child = Checkpoints.changed(random, base, 2);
    Checkpoints.add(store, "child", "base", child);
    Checkpoints.add(store, "grandchild", "child", Checkpoints.changed(random, child, 2));
    store.delete("child");
    store.compact("grandchild");
    assertThat(store.size("grandchild").ownBytes()).isEqualTo(4 * PAGE + 1000);
  }

  @Test
  void deletingAParentFreesWhatItsChildDoesNotUse() throws IOException {
    child("child", "base", base);
    Path pages = folder.resolve("images/whole/base/pages.img");
    long before = blocks(pages);
    store.delete("base");
    assertThat(before - blocks(pages)).isEqualTo(3 * PAGE / 512);
  }

  @Test
  void whatAMachineStillReadsStaysAsItIsUntilItHasReadIt() throws Exception {
    child("child", "base", base);
    Path pages = folder.resolve("images/whole/base/pages.img");
    long before = blocks(pages);
    Process machine =
        new ProcessBuilder("flock", "--shared", pages.toString(), "sh", "-c", "echo reads; cat")
            .start();
    try {
      assertThat(machine.inputReader().readLine()).isEqualTo("reads");
      store.delete("base");
      assertThat(blocks(pages)).isEqualTo(before);
    } finally {
      machine.outputWriter().close();
    }
    Instant deadline = Instant.now().plusSeconds(60);
    while (blocks(pages) == before) {
      assertThat(Instant.now()).isBefore(deadline);
      Thread.sleep(50);
    }
    assertThat(before - blocks(pages)).isEqualTo(3 * PAGE / 512);
  }

  /** Blocks of 512 bytes, as the file system counts them. */
  private static long blocks(Path file) throws IOException {
    Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
    return Long.parseLong(stat.inputReader().readLine());
  }

  @Test
  void whenAllImagesAreGoneNothingIsLeft() throws IOException {
    child("child", "base", base);
    store.delete("base");
    store.delete("child");
    store.delete("child");
    assertThat(Checkpoints.files(folder)).isEmpty();
  }

  @Test
  void aLeaseOutlivesTheImage() throws IOException {
    Map<String, byte[]> child = child("child", "base", base);
    try (Lease ofBase = store.open("base");
        Lease ofChild = store.open("child")) {
      store.delete("base");
      store.delete("child");
      store.trim();
      assertThatThrownBy(() -> store.open("base"))
          .isInstanceOfSatisfying(
              AtollException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
      assertSame(ofBase, base);
      assertSame(ofChild, child);
    }
    assertThat(Checkpoints.files(folder)).isEmpty();
  }

  @Test
  void anIdIsNotGivenTwice() throws IOException {
    Path aside = Files.createDirectory(store.aside("base"));
    assertThatThrownBy(() -> store.add("base", null))
        .isInstanceOfSatisfying(
            AtollException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
    assertThat(aside).isDirectory();
    assertSame(store, "base", base);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "..", "a/b", ".hidden", "a b", "/etc"})
  void aNameThatIsNoFileNameIsRefused(String id) {
    assertThatThrownBy(() -> store.aside(id)).isInstanceOf(AtollException.class);
  }

  @Test
  void theSweepRemovesWhatNobodyKnows() throws IOException {
    child("child", "base", base);
    store.aside("unfinished");
    Files.createDirectories(folder.resolve("images/copies/another-boot/child"));
    ImageStore reopened = new ImageStore(folder.resolve("images"), 0);
    assertThat(reopened.sweep(Set.of("base")))
        .containsExactly(
            "unfinished .new-unfinished",
            "copies of an earlier boot copies/another-boot",
            "unknown image child");
    assertSame(reopened, "base", base);
    assertThat(reopened.sweep(Set.of("base"))).isEmpty();
  }

  @Test
  void nothingIsRemovedWhileAManifestIsUnreadable() throws IOException {
    Map<String, byte[]> child = child("child", "base", base);
    Path manifest = folder.resolve("images/manifests/child");
    byte[] good = Files.readAllBytes(manifest);
    byte[] bad = good.clone();
    bad[good.length / 2] ^= 1;
    Files.write(manifest, bad);
    ImageStore damaged = new ImageStore(folder.resolve("images"), 0);
    assertThat(damaged.sweep(Set.of("base", "child"))).isEmpty();
    damaged.delete("base");
    Files.write(manifest, good);
    ImageStore repaired = new ImageStore(folder.resolve("images"), 0);
    repaired.trim();
    assertSame(repaired, "child", child);
  }
}
