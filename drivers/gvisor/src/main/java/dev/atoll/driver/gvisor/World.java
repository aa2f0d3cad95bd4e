package dev.atoll.driver.gvisor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What the processes of a machine see of the host, and who they are there: {@code guest/JAILER.md}.
 * The same paths in every machine.
 *
 * @param uidBase the host's id of the machine's root; the 65534 after it are the machine's too
 */
record World(int uidBase) {
  static final Path RUNSC = Path.of("/runsc");

  /** Configuration, which the machine cannot change. */
  static final Path BUNDLE = Path.of("/bundle");

  static final Path ROOTFS = Path.of("/rootfs");

  /** Files of the image that the machine is restored from, once that is known. */
  static final Path IMAGE = Path.of("/image");

  /** The only place that can be written to. */
  static final Path OWN = Path.of("/machine");

  static final Path STATE = OWN.resolve("state");
  static final Path FILESTORE = OWN.resolve("filestore");

  /**
   * What the host's kernel tells of a file made there: its path in the mount, since that one is in
   * none of the host's folders, or in a mount namespace that is no more.
   */
  static final Set<Path> FILESTORE_FROM_OUTSIDE = Set.of(FILESTORE, Path.of("/filestore"));

  static final Path MACHINE_PID = OWN.resolve("machine.pid");

  /** Where the sentry makes its own root; nothing is ever written to it but places of mounts. */
  private static final String SCRATCH_BYTES = "1048576";

  private static final String KEEPER_ROOT = "/keeper";

  /** The keeper's options. */
  List<String> options(MachineDirectory directory, Path runsc, Path rootfs, Cgroup group) {
    List<String> options = new ArrayList<>(List.of("--uid-base", Integer.toString(uidBase)));
    options.addAll(List.of("--keeper-root", KEEPER_ROOT, "--empty", KEEPER_ROOT));
    group.folders().forEach(folder -> options.addAll(List.of("--cgroup", folder.toString())));
    bind(options, "--bind-ro", runsc, RUNSC);
    bind(options, "--bind-ro", directory.bundle(), BUNDLE);
    bind(options, "--bind-ro", directory.image(), IMAGE);
    bind(options, "--bind", directory.own(), OWN);
    bind(options, "--mapped-ro", rootfs, ROOTFS);
    options.addAll(List.of("--tmpfs", "/tmp", SCRATCH_BYTES, "--dev", "/dev", "--proc", "/proc"));
    // gVisor tells the guest the host's MemTotal.
    bind(options, "--bind-ro", directory.meminfo(), Path.of("/proc/meminfo"));
    options.addAll(List.of("--machine-pid", MACHINE_PID.toString()));
    return options;
  }

  /** A command of runsc in this machine, started by the server. */
  List<String> enter(Path jailer, Cgroup group, List<String> command) {
    List<String> line =
        new ArrayList<>(
            List.of(
                jailer.toString(),
                "--machine",
                "--uid-base",
                Integer.toString(uidBase),
                "--enter",
                group.members(Controller.MEMORY).toString(),
                "--"));
    line.addAll(command);
    return line;
  }

  private static void bind(List<String> options, String how, Path source, Path target) {
    options.addAll(List.of(how, source.toString(), target.toString()));
  }
}
