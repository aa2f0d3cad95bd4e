package dev.atoll.driver.gvisor;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The command lines of one machine's runsc. */
record Runsc(Path program, Platform platform, MachineDirectory directory) {
  /**
   * Every machine has a state directory of its own, so all may have the same name; a short one
   * keeps the path of runsc's control socket short.
   */
  private static final String CONTAINER = "guest";

  /** Makes a guest from the directory's bundle: its processes are there, but nothing runs in it. */
  List<String> create() {
    return line(
        "create",
        "--bundle",
        directory.path().toString(),
        "--pid-file",
        directory.machinePid().toString(),
        CONTAINER);
  }

  /** Lets a guest that was made boot. */
  List<String> start() {
    return line("start", CONTAINER);
  }

  /** Gives a guest that was made the state of a checkpoint. */
  List<String> restore(Path image) {
    return line(
        "restore",
        "--detach",
        "--image-path",
        image.toString(),
        "--bundle",
        directory.path().toString(),
        CONTAINER);
  }

  void checkpoint(Path image, boolean keepRunning, Duration timeout) {
    List<String> verb = new ArrayList<>(List.of("checkpoint"));
    if (keepRunning) {
      verb.add("--leave-running");
    }
    // Not compressed: a restore maps and reads the pages as they are.
    verb.addAll(List.of("--compression=none", "--image-path", image.toString(), CONTAINER));
    execute(timeout, verb.toArray(String[]::new));
  }

  void pause(Duration timeout) {
    execute(timeout, "pause", CONTAINER);
  }

  void resume(Duration timeout) {
    execute(timeout, "resume", CONTAINER);
  }

  private void execute(Duration timeout, String... verb) {
    // Safe: program and flags are the server's own; no byte from a guest or a user is among them.
    Program.Result result = Program.run(line(verb), timeout);
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
    List<String> line =
        new ArrayList<>(
            List.of(
                program.toString(),
                "--root",
                directory.state().toString(),
                "--platform=" + platform.flag(),
                // Only loopback inside the guest; no interface, no socket of the host.
                "--network=none",
                // For the agent, which has the capability; the packets are those of loopback.
                "--net-raw",
                // Every write goes to an unlinked file in this machine's directory.
                "--overlay2=root:dir=" + directory.filestore(),
                // The keeper has put us into this driver's own groups already.
                "--ignore-cgroups"));
    line.addAll(List.of(verb));
    return line;
  }
}
