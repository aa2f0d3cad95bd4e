package dev.atoll.driver.gvisor;

import dev.atoll.driver.testkit.TestPrograms;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Hello;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** A guest's root file system of busybox, the agent and the contract's programs. */
final class TestRootfs {
  private static final int USER = 1000;

  private TestRootfs() {}

  /** Needs a statically linked busybox on the host. */
  static Path build(Path rootfs, Path agent) throws IOException {
    for (String folder : List.of("bin", "etc/atoll", "opt/atoll", "usr/local/bin", "proc", "dev")) {
      Files.createDirectories(rootfs.resolve(folder));
    }
    installBusybox(rootfs.resolve("bin"));
    TestPrograms.install(rootfs.resolve("usr/local/bin"));
    copy(agent, rootfs.resolve("opt/atoll/agent"));
    Files.writeString(rootfs.resolve("etc/atoll/agent.conf"), "user=sandbox\n");
    Files.writeString(
        rootfs.resolve("etc/passwd"),
        "root:x:0:0::/root:/bin/sh\nsandbox:x:1000:1000::/home/sandbox:/bin/sh\n");
    Files.writeString(rootfs.resolve("etc/group"), "root:x:0:\nsandbox:x:1000:\n");
    own(Files.createDirectories(rootfs.resolve("home/sandbox")));
    Path tmp = Files.createDirectories(rootfs.resolve("tmp"));
    Files.createFile(tmp.resolve(".atoll-keep"));
    return rootfs;
  }

  /** The same with an agent that says Hello, waits for a byte and answers with three bytes 0xff. */
  static Path buildHostile(Path rootfs, Path agent) throws IOException {
    build(rootfs, agent);
    byte[] hello =
        FrameCodec.encode(Frame.newBuilder().setHello(Hello.newBuilder().setGeneration(2)).build());
    StringBuilder octal = new StringBuilder();
    for (byte b : hello) {
      octal.append("\\%03o".formatted(b & 0xff));
    }
    executable(
        rootfs.resolve("opt/atoll/agent"),
        """
        #!/bin/sh
        printf '\\000\\000\\000\\%03o%s'
        head -c 1 > /dev/null
        printf '\\000\\000\\000\\003\\377\\377\\377'
        exec sleep 600
        """
            .formatted(hello.length, octal));
    return rootfs;
  }

  static void copy(Path from, Path to) throws IOException {
    Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
    if (!to.toFile().setExecutable(true, false)) {
      throw new IOException("cannot make " + to + " executable");
    }
  }

  private static void installBusybox(Path bin) throws IOException {
    Path busybox =
        Stream.of(System.getenv().getOrDefault("ATOLL_BUSYBOX", "/bin/busybox"), "/usr/bin/busybox")
            .map(Path::of)
            .filter(Files::isExecutable)
            .findFirst()
            .orElseThrow(
                () ->
                    new IOException(
                        "these tests need a static busybox: apt-get install busybox-static, or set"
                            + " ATOLL_BUSYBOX"));
    copy(busybox, bin.resolve("busybox"));
    Program.Result list =
        Program.run(List.of(busybox.toString(), "--list"), Duration.ofSeconds(10));
    for (String applet : list.output().lines().toList()) {
      Path link = bin.resolve(applet);
      if (!applet.isBlank() && Files.notExists(link)) {
        Files.createSymbolicLink(link, Path.of("busybox"));
      }
    }
  }

  private static void executable(Path file, String text) throws IOException {
    Files.delete(file);
    Files.writeString(file, text);
    if (!file.toFile().setExecutable(true, false)) {
      throw new IOException("cannot make " + file + " executable");
    }
  }

  private static void own(Path path) throws IOException {
    Files.setAttribute(path, "unix:uid", USER);
    Files.setAttribute(path, "unix:gid", USER);
  }
}
