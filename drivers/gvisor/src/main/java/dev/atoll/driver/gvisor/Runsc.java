package dev.atoll.driver.gvisor;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The command lines of one machine's runsc, and its commands in the machine's world. */
final class Runsc {
  /**
   * Every machine has a state directory of its own, so all may have the same name; a short one
   * keeps the path of runsc's control socket short.
   */
  private static final String CONTAINER = "guest";

  private final GvisorConfig config;
  private final MachineRecord record;
  private final MachineDirectory directory;
  private final Cgroup group;

  Runsc(GvisorConfig config, MachineRecord record, MachineDirectory directory, Cgroup group) {
    this.config = config;
    this.record = record;
    this.directory = directory;
    this.group = group;
  }

  /** Makes a guest from the bundle: its processes are there, but nothing runs in it. */
  List<String> create() {
    return line(
        "create",
        "--bundle",
        World.BUNDLE.toString(),
        "--pid-file",
        World.MACHINE_PID.toString(),
        CONTAINER);
  }

  /** Lets a guest that was made boot. */
  List<String> start() {
    return line("start", CONTAINER);
  }

  /** Gives a guest that was made the state of the image whose files are linked. */
  List<String> restore() {
    return line(
        "restore",
        "--detach",
        "--image-path",
        World.IMAGE.toString(),
        "--bundle",
        World.BUNDLE.toString(),
        CONTAINER);
  }

  /**
   * Writes an image and lets the guest go on.
   *
   * @param image as the machine sees it
   */
  void checkpoint(Path image, Duration timeout) {
    // Not compressed: a restore maps and reads the pages as they are.
    execute(
        timeout,
        "checkpoint",
        "--leave-running",
        "--compression=none",
        "--image-path",
        image.toString(),
        CONTAINER);
  }

  void pause(Duration timeout) {
    execute(timeout, "pause", CONTAINER);
  }

  void resume(Duration timeout) {
    execute(timeout, "resume", CONTAINER);
  }

  private void execute(Duration timeout, String... verb) {
    if (!Files.isExecutable(config.runsc())) {
      throw new AtollException(
          ErrorCode.DRIVER_UNAVAILABLE,
          "machine " + directory.id() + " runs with " + config.runsc() + ", which is gone",
          "Put the runsc of that version back there, and try again.");
    }
    // Safe: program and flags are the server's own; no byte from a guest or a user is among them.
    // The command runs in the machine's world, as what the machine's own processes are.
    List<String> command =
        record
            .world()
            .map(world -> world.enter(config.jailer(), group, line(verb)))
            .orElseGet(() -> line(verb));
    Program.Result result = Program.run(command, timeout);
    if (result.status() != 0) {
      throw new AtollException(
          ErrorCode.INTERNAL,
          "runsc " + verb[0] + " of " + directory.id() + " " + result.describe(),
          "See " + directory.log() + " for what the machine said.",
          Map.of("output", result.output()),
          null);
    }
  }

  private List<String> line(String... verb) {
    Optional<World> world = record.world();
    Path program = world.isPresent() ? World.RUNSC : config.runsc();
    Path state = world.isPresent() ? World.STATE : directory.oldState();
    Path filestore = world.isPresent() ? World.FILESTORE : directory.oldFilestore();
    List<String> line =
        new ArrayList<>(
            List.of(
                program.toString(),
                "--root",
                state.toString(),
                "--platform=" + record.platform().flag(),
                // Only loopback inside the guest; no interface, no socket of the host.
                "--network=none",
                // For the agent, which has the capability; the packets are those of loopback.
                "--net-raw",
                // Every write goes to an unlinked file in this machine's directory.
                "--overlay2=root:dir=" + filestore,
                // The keeper has put us into this driver's own groups already.
                "--ignore-cgroups"));
    line.addAll(List.of(verb));
    return line;
  }
}
