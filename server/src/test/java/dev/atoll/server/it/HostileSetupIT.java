package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.driver.testkit.hostile.Sentinel;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Setup commands of recipes, which are root in a sandbox, that leave trees which mean harm. The
 * host lays them over a root file system of its own: nothing beside that may change, and what is
 * made of it must be of no use to anybody on the host.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class HostileSetupIT {
  private RealServer server;
  private Atoll atoll;
  private Path outside;
  private Sentinel sentinel;

  @BeforeAll
  void start(@TempDir Path folder) throws IOException, InterruptedException {
    outside = folder.resolve("outside");
    sentinel = Sentinel.make(outside);
    server = new RealServer("--template.max-disk=2GiB");
    atoll = server.atoll();
  }

  @AfterAll
  void stop() throws IOException {
    server.close();
  }

  /**
   * Builds a template of commands, each a step with a layer of its own, and looks into a sandbox of
   * it; there OUT is the sentinel's path.
   */
  private String built(String look, String... steps) throws IOException {
    StringBuilder recipe = new StringBuilder("name: hostile\nbase: {template: python}\n");
    // Another one with every run of the tests, so that nothing of it is there already.
    recipe.append("env: {RUN: \"").append(System.nanoTime()).append("\"}\nsetup:\n");
    for (String step : steps) {
      recipe.append("  - |\n");
      here(step).lines().forEach(line -> recipe.append("    ").append(line).append('\n'));
    }
    Set<Path> before = layers();
    try {
      atoll.templates().create(recipe.toString(), event -> {});
    } finally {
      sentinel.assertUntouched();
    }
    assertHarmlessOnTheHost();
    String found;
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.template("hostile"))) {
      assertThat(sandbox.runCode("sum(range(101))").text()).hasValue("5050");
      found = sandbox.shell(here(look)).stdout();
    }
    atoll.templates().delete("hostile");
    assertThat(layers()).isEqualTo(before);
    sentinel.assertUntouched();
    return found;
  }

  private String here(String script) {
    return script.replace("OUT", outside.toString());
  }

  private Set<Path> layers() throws IOException {
    try (Stream<Path> entries = Files.list(server.home().resolve("templates"))) {
      return entries.collect(Collectors.toCollection(TreeSet::new));
    }
  }

  /** No device, pipe or socket is on the host, and nobody else reaches what is set-uid there. */
  private void assertHarmlessOnTheHost() throws IOException {
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(server.home())))
        .endsWith("------");
    Path templates = server.home().resolve("templates");
    try (Stream<Path> files = Files.walk(templates)) {
      assertThat(files.filter(file -> isSpecial(file))).as("special files").isEmpty();
    }
  }

  private static boolean isSpecial(Path file) {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
          .isOther();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void directoriesThatBecameLinksLeadNowhere() throws IOException {
    String found =
        built(
            """
            readlink /opt/x /opt/y /srv /opt/own/etc; cat /opt/kept/etc/passwd; test -e /opt/removed || echo gone
            """,
            // A directory with something in it, then in the next layer a link out in its place.
            """
            mkdir -p /opt/x/cron.d /opt/y /opt/removed /opt/kept/etc /opt/own /srv/etc/cron.d
            chmod 777 /opt/x/cron.d; echo mine > /opt/x/passwd; echo mine > /opt/removed/job
            echo kept > /opt/kept/etc/passwd; echo mine > /srv/etc/passwd
            """,
            """
            rm -rf /opt/x /opt/y /opt/removed /srv
            ln -s OUT/etc /opt/x; ln -s ../../../../../../../../../..OUT/etc /opt/y
            ln -s OUT /srv; ln -s OUT/etc /opt/own/etc
            mkdir /opt/removed; rmdir /opt/removed
            """,
            // Through the links of the layer before: in the guest there is no such place but what
            // is made here, on the host there is.
            """
            mkdir -p OUT/etc/cron.d; echo of the guest > OUT/etc/passwd
            chmod 777 OUT/etc/cron.d OUT/etc; chown -R 12345:12345 OUT
            touch -d 2001-01-01 OUT/etc/passwd OUT/etc; echo more > /opt/x/cron.d/job
            """,
            // And away again, so that the host has to remove what lies behind them.
            "rm -rf /opt/x/cron.d OUT/etc/passwd; rm -rf OUT; mkdir -p OUT; rmdir OUT; ln -s / OUT",
            "rm -f OUT; mkdir -p OUT/etc; rm -rf OUT/etc; ln -s /etc OUT/etc; echo x > OUT/etc/new");
    assertThat(found.lines())
        .containsExactly(
            outside + "/etc",
            "../../../../../../../../../.." + outside + "/etc",
            outside.toString(),
            outside + "/etc",
            "kept",
            "gone");
  }

  @Test
  void hardLinksStayInTheTree() throws IOException {
    String found =
        built(
            "cat /opt/first /opt/second /opt/passwd; stat -c %h /opt/first; cat /etc/hostname-of",
            """
            mkdir -p OUT/etc; echo of the guest > OUT/etc/passwd; ln OUT/etc/passwd /opt/passwd
            echo one > /opt/first; ln /opt/first /opt/second; ln -s OUT/etc/passwd /opt/link
            ln -P /opt/link /opt/link2; ln /etc/passwd /etc/hostname-of
            """,
            // What was linked to is a way out now, and what is linked is written anew.
            """
            rm -rf OUT; mkdir -p OUT; ln -s /etc OUT/etc; echo changed >> /opt/passwd
            rm /etc/hostname-of; echo own > /etc/hostname-of; echo two >> /opt/second
            """);
    // What a layer writes to has a name of its own from then on, as in any overlay.
    assertThat(found.lines())
        .containsExactly("one", "one", "two", "of the guest", "changed", "1", "own");
  }

  @Test
  void devicesAndSetUidFilesAreOfNoUseOnTheHost() throws IOException {
    String found =
        built(
            """
            stat -c '%a %u' /opt/suid /opt/sgid; ls /opt/dev | wc -l; test $(/opt/suid -p -c 'id -u') = $(id -u) && echo the user
            """,
            """
            cp /bin/dash /opt/suid; chmod 6755 /opt/suid; cp /bin/dash /opt/sgid
            chown 0:42 /opt/sgid; chmod 2755 /opt/sgid; mkdir /opt/dev; cd /opt/dev
            mknod sda b 8 0 || true; mknod mem c 1 1 || true; mknod null c 1 3 || true
            mkfifo pipe || true
            python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")' || true
            mkdir -m 0 /opt/closed; echo x > /opt/unreadable; chmod 0 /opt/unreadable
            """);
    // No program in a sandbox gains rights by set-uid files.
    assertThat(found.lines()).containsExactly("6755 0", "2755 0", "0", "the user");
  }

  @Test
  void namesOfAllKindsAreNames() throws IOException {
    String found =
        built(
            """
            cd /opt/names; find . -mindepth 1 -printf x | wc -c; find . -name '*root::0*' -printf x | wc -c; cat '.wh.keep'; cat keep
            cat -- '-rf'; ls /opt/deep | head -1
            """,
            """
            mkdir -p /opt/names; cd /opt/names; echo keep > keep
            echo whiteout > .wh.keep; echo opaque > .wh..wh..opq; echo dash > ./-rf
            python3 - <<'END'
            import os
            for name in [b'a\\nroot::0:0', b'\\xff\\xfe', b'\\x1b[2Jx', b'n' * 255, b' ', b'*', b'..x', b'a\\\\b',
                         'größe'.encode(), b'%s%n', b'$(id)', b'tab\\tx', b'\\r']:
                open(b'/opt/names/' + name, 'w').write('x')
            os.makedirs('/opt/deep')
            os.chdir('/opt/deep')
            for i in range(200):
                os.mkdir('d' * 10); os.chdir('d' * 10)
            END
            """,
            "rm -f '/opt/names/*'; rm -rf /opt/names/..x");
    assertThat(found.lines()).containsExactly("15", "1", "whiteout", "keep", "dash", "dddddddddd");
  }

  @Test
  void aHundredThousandEntriesAreTaken() throws IOException {
    String found =
        built(
            "ls /opt/many | wc -l; ls /opt/many | tail -1",
            """
            python3 - <<'END'
            import os
            os.makedirs('/opt/many')
            for i in range(100000):
                os.close(os.open(f'/opt/many/{i:06d}', os.O_CREAT | os.O_WRONLY))
            END
            """);
    assertThat(found.lines()).containsExactly("100000", "099999");
  }

  @Test
  void aFileThatIsAllHolesTakesNoMoreThanIsAllowed() throws IOException {
    try {
      built("true", "truncate -s 8T /opt/holes");
    } catch (AtollException e) {
      assertThat(e.code())
          .as(e.getMessage())
          .isIn(ErrorCode.TOO_LARGE, ErrorCode.TEMPLATE_BUILD_FAILED, ErrorCode.DISK_LIMIT);
    }
    sentinel.assertUntouched();
  }
}
