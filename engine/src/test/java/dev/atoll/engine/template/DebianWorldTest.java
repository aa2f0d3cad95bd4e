package dev.atoll.engine.template;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.engine.jail.Jailer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A package whose script wants the host, installed where mmdebstrap installs packages. */
class DebianWorldTest {
  @TempDir Path folder;
  private Path root;
  private Path host;

  @BeforeEach
  void makeHost() throws IOException {
    root = Files.createDirectory(folder.resolve("root"));
    host = Files.createDirectory(folder.resolve("host"));
    Files.writeString(host.resolve("secrets.key"), "the key");
    Files.createDirectory(host.resolve("cron.d"));
  }

  /** What the script has found, one line for each attempt that had success. */
  private List<String> findings(String script) throws IOException {
    Path deb = debianPackage(script);
    Files.createDirectories(root.resolve("var/lib/dpkg/updates"));
    Files.createDirectories(root.resolve("var/lib/dpkg/info"));
    Files.createFile(root.resolve("var/lib/dpkg/status"));
    Files.copy(deb, root.resolve("hostile.deb"));
    // Without chroot, so that the script finds the programs that it wants: a chroot keeps nobody in
    // who is root.
    List<String> dpkg =
        List.of(
            "dpkg",
            "--root=" + DebianWorld.ROOT,
            "--log=/dev/null",
            "--force-script-chrootless",
            "--force-not-root",
            "--force-architecture",
            "--install",
            DebianWorld.ROOT + "/hostile.deb");
    List<String> lines = new ArrayList<>();
    HostCommand.run(
        DebianWorld.of(Jailer.install(folder.resolve("bin")), root).command(dpkg),
        DebianWorld.environment(),
        lines::add,
        null);
    assertThat(root.resolve("ran")).as(String.join("\n", lines)).exists();
    return Files.readAllLines(root.resolve("found"));
  }

  private Path debianPackage(String script) throws IOException {
    Path source = Files.createDirectories(folder.resolve("package/DEBIAN"));
    Files.writeString(
        source.resolve("control"),
        """
        Package: hostile
        Version: 1
        Architecture: all
        Maintainer: nobody <nobody@example.org>
        Description: wants the host
        """);
    Files.writeString(
        source.resolve("postinst"),
        """
        #!/bin/sh
        touch "$DPKG_ROOT/ran" "$DPKG_ROOT/found"
        found() { echo "$1" >> "$DPKG_ROOT/found"; }
        """
            + script
            + "exit 0\n");
    Files.setPosixFilePermissions(
        source.resolve("postinst"), PosixFilePermissions.fromString("rwxr-xr-x"));
    Path deb = folder.resolve("hostile.deb");
    HostCommand.run(
        List.of("dpkg-deb", "--build", folder.resolve("package").toString(), deb.toString()),
        line -> {});
    return deb;
  }

  @Test
  void aScriptOfAPackageFindsNothingOfTheHost() throws IOException {
    long server = ProcessHandle.current().pid();
    List<String> found =
        findings(
            """
            HOST=%s
            [ -e "$HOST" ] && found "the folder of the host"
            cat "$HOST/secrets.key" && found "the key"
            echo evil > "$HOST/cron.d/job" && found "cron"
            [ -d /proc/%d ] && [ "$(ps -p %d -o comm= 2>/dev/null)" = java ] && found "the server"
            tr '\\0' '\\n' < /proc/1/environ | grep -q ATOLL && found "the environment"
            [ "$(ls -d /proc/[0-9]* | wc -l)" -gt 20 ] && found "processes of the host"
            echo evil > /etc/apt/evil && found "settings of apt"
            echo evil > /usr/evil && found "programs"
            [ -e /root/. ] && ls /root/* && found "the home of root"
            [ -e /var/lib ] && found "the data of the host"
            [ -e /run ] && found "sockets of the host"
            cat /etc/shadow && found "passwords"
            mknod "$DPKG_ROOT/disk" b 254 0 && found "a device"
            dd if=/dev/vda of=/dev/null bs=1 count=1 && found "the disk"
            mount -t proc proc /tmp && mount -o remount,rw /usr && found "a mount"
            umount /etc/apt && found "what is below a mount"
            hostname evil && [ "$(cat /proc/sys/kernel/hostname)" = evil ] && : # its own
            echo 1 > /proc/sys/kernel/sysrq && found "the kernel"
            chroot /proc/1/root ls "$HOST" && found "another root"
            """
                .formatted(host, server, server));
    assertThat(found).isEmpty();
    assertThat(host.resolve("cron.d")).isEmptyDirectory();
    assertThat(host.resolve("secrets.key")).hasContent("the key");
  }

  @Test
  void whatAScriptWritesBelongsToTheSameUsersAsAlways() throws IOException {
    assertThat(
            findings(
                """
                echo x > "$DPKG_ROOT/file" && chown 33:33 "$DPKG_ROOT/file"
                chmod 4755 "$DPKG_ROOT/file" && found "changed"
                """))
        .containsExactly("changed");
    assertThat(Files.getAttribute(root.resolve("file"), "unix:uid")).isEqualTo(33);
    assertThat(Files.getAttribute(root.resolve("ran"), "unix:uid")).isEqualTo(0);
    assertThat((int) Files.getAttribute(root.resolve("file"), "unix:mode") & 07777)
        .isEqualTo(04755);
  }
}
