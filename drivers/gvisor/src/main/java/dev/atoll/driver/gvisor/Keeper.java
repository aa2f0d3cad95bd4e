package dev.atoll.driver.gvisor;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** The process that holds a machine's stream; {@code guest/KEEPER.md} describes it. */
record Keeper(MachineDirectory directory) {
  private static final Duration END = Duration.ofSeconds(2);
  private static final Duration POLL = Duration.ofMillis(1);

  /**
   * Starts a keeper with the machine's world and the command that makes the machine in it; returns
   * when that is done. The keeper goes on in the background, in a session of its own, and outlives
   * this server.
   */
  void start(Path program, List<String> world, List<String> make, Duration timeout) {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of("--socket", directory.socket().toString()));
    command.addAll(List.of("--exit-file", directory.exitFile().toString()));
    command.addAll(List.of("--log", directory.log().toString()));
    command.addAll(List.of("--pid-file", directory.keeperPid().toString()));
    command.addAll(world);
    command.add("--");
    command.addAll(make);
    try {
      // Safe: all arguments are the server's own paths and numbers. The output goes to a file,
      // since the keeper in the background would hold a pipe open.
      Process process =
          Program.builder(command)
              .redirectErrorStream(true)
              .redirectOutput(directory.keeperLog().toFile())
              .start();
      int status = Program.await(process, timeout);
      if (status != 0) {
        throw new AtollException(
            ErrorCode.INTERNAL,
            "the keeper of %s ended with status %d: %s"
                .formatted(
                    directory.id(), status, Files.readString(directory.keeperLog()).strip()));
      }
    } catch (IOException e) {
      throw Program.cannotRun(command, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AtollException(ErrorCode.SHUTTING_DOWN, "interrupted while starting a keeper");
    }
  }

  /** Ends the keeper, if it is still there, and waits for it. Its machine has ended before. */
  void end() {
    long deadline = System.nanoTime() + END.toNanos();
    Optional<ProcessHandle> found = find();
    found.ifPresent(ProcessHandle::destroy);
    while (found.isPresent()) {
      if (System.nanoTime() > deadline) {
        found.get().destroyForcibly();
        return;
      }
      LockSupport.parkNanos(POLL.toNanos());
      // Not ProcessHandle.onExit(): for a process that is no child it looks only now and then.
      found = find();
    }
  }

  /**
   * The keeper's process, safe to signal: its command line says that it is the keeper of this
   * machine, and the handle compares start times, so a pid that was reused since is not signalled.
   * Empty when the recorded pid is gone or is another's by now.
   */
  Optional<ProcessHandle> find() {
    try {
      long pid = Long.parseLong(Files.readString(directory.keeperPid()).strip());
      return ProcessHandle.of(pid).filter(handle -> pidFile(handle).equals(directory.keeperPid()));
    } catch (IOException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** Directories just below the root for which a keeper is running on this host. */
  static List<Path> directoriesBelow(Path root) {
    Path absolute = root.toAbsolutePath().normalize();
    return ProcessHandle.allProcesses()
        .map(process -> pidFile(process).getParent())
        .filter(directory -> directory != null && absolute.equals(directory.getParent()))
        .<Path>map(Objects::requireNonNull)
        .toList();
  }

  /** What the process was given as a keeper's pid file; an empty path when it is no keeper. */
  private static Path pidFile(ProcessHandle process) {
    try {
      // Not ProcessHandle.Info: it cuts a long command line off.
      List<String> arguments =
          Arrays.asList(
              Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"))
                  .split("\0", -1));
      int option = arguments.indexOf("--pid-file");
      boolean keeper = arguments.getFirst().endsWith("keeper");
      return keeper && option >= 0 && option + 1 < arguments.size()
          ? Path.of(arguments.get(option + 1))
          : Path.of("");
    } catch (IOException | java.nio.file.InvalidPathException e) {
      return Path.of("");
    }
  }
}
