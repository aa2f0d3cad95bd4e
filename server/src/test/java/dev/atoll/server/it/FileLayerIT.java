package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.engine.files.FileLayer;
import dev.atoll.engine.template.Recipe;
import dev.atoll.engine.template.RecipeReader;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.server.it.RealMachines.Live;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of one guest in another one of the same template. */
class FileLayerIT {
  /** Everything but the times of folders that a guest makes by itself. */
  private static final String LISTING =
      """
      cd / && find home etc root usr/local tmp -type d -printf '%p %y %m %U %G\\n' \
      -o -printf '%p %y %m %U %G %s %T@ %n %l\\n' | sort; \
      find home/sandbox etc usr/local root -type f -print0 | sort -z | xargs -0 sha256sum
      """;

  @TempDir private static Path folder;
  private static RealMachines machines;

  @BeforeAll
  static void start() throws IOException {
    machines = new RealMachines(folder, RealMachines.python());
  }

  @AfterAll
  static void end() {
    machines.close();
  }

  @Test
  void anUntouchedGuestHasNothingBeyondItsTemplate() throws IOException {
    Live guest = machines.create();
    Path layer = folder.resolve("untouched");

    assertThat(FileLayer.pack(guest.guest(), machines.rootfs(), layer)).isLessThan(2_000);

    assertThat(layer.resolve("removed.list")).isEmptyFile();
  }

  @Test
  void halfAnArchiveIsRefused() throws IOException {
    Live guest = machines.create();
    guest.shell("sandbox", "head -c 3000000 /dev/urandom > data");
    Path layer = folder.resolve("half");
    FileLayer.pack(guest.guest(), machines.rootfs(), layer);
    Path archive = layer.resolve("changes.tar.zst");
    Files.write(archive, Arrays.copyOf(Files.readAllBytes(archive), 2_000_000));

    Live other = machines.create();
    assertThatThrownBy(() -> FileLayer.unpack(layer, other.guest()))
        .isInstanceOf(AtollException.class)
        .hasMessageContaining("could not be unpacked");
    assertThat(other.shell("sandbox", "pgrep tar").exitCode()).isEqualTo(1);
  }

  @Test
  void whatIsLargerThanItMayBeIsRefused() throws IOException {
    Live guest = machines.create();
    guest.shell("sandbox", "head -c 3000000 /dev/urandom > data");

    assertThatThrownBy(
            () ->
                FileLayer.pack(guest.guest(), machines.rootfs(), folder.resolve("large"), 1 << 20))
        .isInstanceOfSatisfying(
            AtollException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_LARGE));
  }

  @Test
  void withoutRootTheDefaultUserPacksWhatIsItsOwn() throws IOException {
    String python = Files.readString(Path.of("../templates/python.yaml"));
    String text = python.replace("allow-root: true", "allow-root: false");
    Recipe plain = RecipeReader.read("plain", text.getBytes(StandardCharsets.UTF_8));
    Path rooms = Files.createDirectory(folder.resolve("plain"));
    try (RealMachines others = new RealMachines(rooms, plain)) {
      Live one = others.create();
      one.shell("sandbox", "mkdir a; echo hard > a/x; ln a/x a/y; rm .bashrc; date > /tmp/now");
      Path layer = rooms.resolve("layer");
      FileLayer.pack(one.guest(), others.rootfs(), layer);
      Live other = others.create();
      FileLayer.unpack(layer, other.guest());

      String listing =
          "find /home /tmp -type d -printf '%p %m %U\\n' -o -printf '%p %m %U %T@ %n\\n'";
      assertThat(other.shell("sandbox", listing).stdout())
          .isEqualTo(one.shell("sandbox", listing).stdout())
          .contains("/home/sandbox/a/y", "/tmp/now");
    }
  }

  @Test
  void aFreshGuestGetsTheFilesOfAnother() throws IOException {
    Live one = machines.create();
    one.shell(
        "root",
        """
        rm -rf /etc/alternatives /etc/motd; echo new > /etc/issue; chmod 600 /etc/hosts
        chown 1000:7 /etc/fstab 2>/dev/null; rm /etc/debian_version; mkdir /etc/debian_version
        touch -d 2001-02-03 /etc/debian_version/x; ln -s /nowhere /etc/link
        echo bad > /usr/local/tool; ln /usr/local/tool /usr/local/same; chmod 4755 /usr/local/tool
        """);
    one.shell(
        "sandbox",
        """
        mkdir -p a/b && echo hard > a/one && ln a/one a/b/two && mkfifo pipe && touch -- -rf './x
        y'
        head -c 30000000 /dev/urandom > a/data; truncate -s 100G sparse 2>/dev/null
        printf x > "$(printf 'bad\\377name')"; cp -p /etc/passwd /tmp/passwd; chmod 700 a/b
        """);
    Path layer = folder.resolve("layer");
    long bytes = FileLayer.pack(one.guest(), machines.rootfs(), layer);

    Live other = machines.create();
    FileLayer.unpack(layer, other.guest());

    assertThat(other.shell("root", LISTING).stdout())
        .isEqualTo(one.shell("root", LISTING).stdout())
        .contains("home/sandbox/a/b/two f 644 1000 1000 5");
    assertThat(bytes).isBetween(30_000_000L, 32_000_000L);
    assertThat(
            new String(Files.readAllBytes(layer.resolve("removed.list")), StandardCharsets.UTF_8))
        .contains("/etc/debian_version\0");
    try (var files = Files.list(layer)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("changes.tar.zst", "removed.list", "linked.list");
    }
  }
}
