package dev.atoll.engine.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.driver.testkit.hostile.Sentinel;
import dev.atoll.engine.jail.Jailer;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Trees of snapshots and layers of setup commands as the server unpacks them: in a jail. */
class JailedImportTest {
  @TempDir Path folder;
  private Unpacker unpacker;
  private Sentinel sentinel;

  @BeforeEach
  void makeHost() throws IOException {
    unpacker = new Unpacker(Jailer.install(folder.resolve("bin")));
    sentinel = Sentinel.make(folder.resolve("outside"));
    Files.createDirectory(folder.resolve("work"));
  }

  @Test
  void aTreeArrivesAsItWas() throws IOException {
    Path tree = Files.createDirectories(folder.resolve("tree/usr/bin")).resolve("../..");
    Files.writeString(tree.resolve("usr/bin/program"), "x".repeat(200_000));
    Files.setAttribute(tree.resolve("usr/bin/program"), "unix:mode", 04755);
    Files.setAttribute(tree.resolve("usr/bin/program"), "unix:uid", 33);
    Files.createLink(tree.resolve("usr/bin/same"), tree.resolve("usr/bin/program"));
    Files.createSymbolicLink(tree.resolve("etc"), folder.resolve("outside/etc"));
    Files.setAttribute(tree.resolve("usr"), "unix:mode", 0711);
    ImageStore source = new ImageStore(folder.resolve("source"), 0);
    Checkpoints.add(source, "image", null, Checkpoints.random(new Random(1), 3));
    ByteArrayOutputStream exported = new ByteArrayOutputStream();
    ExportKey key = new ExportKey(folder.resolve("source"));
    source.write("image", exported, new byte[0], null, folder.resolve("tree"), key);
    Path rootfs = folder.resolve("work/rootfs");
    ImageStore store = new ImageStore(folder.resolve("store"), 0, unpacker);
    store.read(
        "copy",
        new ByteArrayInputStream(exported.toByteArray()),
        f -> false,
        rootfs,
        signer -> true);
    assertThat(ImageStore.fingerprint(rootfs))
        .isEqualTo(ImageStore.fingerprint(folder.resolve("tree")));
    assertThat(Files.getAttribute(rootfs.resolve("usr/bin/same"), "unix:uid")).isEqualTo(33);
    sentinel.assertUntouched();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("dev.atoll.engine.image.HostileArchiveTest#trees")
  void aHostileTreeIsRefused(String what, byte[] archive) throws IOException {
    ImageStore store = new ImageStore(folder.resolve("store"), 0, unpacker);
    Path rootfs = folder.resolve("work/rootfs");
    assertThatThrownBy(
            () ->
                store.read(
                    "copy", new ByteArrayInputStream(archive), f -> false, rootfs, signer -> true))
        .isInstanceOfSatisfying(
            AtollException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    sentinel.assertUntouched();
    assertThat(folder.resolve("work")).isEmptyDirectory();
  }

  @Test
  void removalsReachNothingOutside() throws IOException {
    Path root = Files.createDirectory(folder.resolve("root"));
    Files.createSymbolicLink(root.resolve("out"), folder.resolve("outside"));
    Files.writeString(root.resolve("gone"), "x");
    String outside = folder.resolve("outside").toString();
    Path list =
        Files.writeString(
            folder.resolve("removed.list"),
            String.join(
                "\0",
                "/out/etc/passwd",
                "/../outside/etc/passwd",
                "/../../../../../../.." + outside + "/etc/cron.d",
                "/gone",
                "/..",
                "/",
                "",
                "/out",
                ""));
    unpacker.run(
        root, 1 << 20, List.of(new Unpacker.Step(Unpacker.Kind.REMOVALS, list)), process -> {});
    sentinel.assertUntouched();
    assertThat(root.resolve("gone")).doesNotExist();
    assertThat(Files.exists(root.resolve("out"), LinkOption.NOFOLLOW_LINKS)).isFalse();
  }
}
