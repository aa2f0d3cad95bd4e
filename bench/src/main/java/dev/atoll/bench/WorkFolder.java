package dev.atoll.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A folder for one run of the bench, of which nothing stays: neither when the bench ends, nor when
 * it is ended from outside.
 */
final class WorkFolder implements AutoCloseable {
  /** Whoever is in the middle of something may make one thing more, but not for long. */
  private static final int ROUNDS = 20;

  private static final int END_SECONDS = 20;
  private static final int MOUNT_POINT = 4;

  private final Path path;
  private final Thread hook = new Thread(this::clear, "bench-work-folder");

  WorkFolder() throws IOException {
    path = Files.createTempDirectory("atoll-bench-");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  Path path() {
    return path;
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return; // the hook is at work already
    }
    clear();
  }

  private void clear() {
    try {
      for (int round = 0; round < ROUNDS && Files.exists(path); round++) {
        endChildren();
        for (String mount : mounts()) {
          // A mount below a folder that this process has made, and nothing else.
          run(List.of("umount", "--lazy", mount));
        }
        run(List.of("rm", "-rf", "--one-file-system", "--", path.toString()));
      }
    } catch (IOException e) {
      System.err.println("bench: " + path + " could not be removed: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Sandboxes that were begun are below this process, with all that belongs to them. */
  private static void endChildren() {
    for (ProcessHandle child : ProcessHandle.current().descendants().toList()) {
      child.destroyForcibly();
      var _ =
          child.onExit().orTimeout(END_SECONDS, TimeUnit.SECONDS).exceptionally(e -> child).join();
    }
  }

  private List<String> mounts() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
        .map(line -> line.split(" ", -1)[MOUNT_POINT])
        .filter(point -> point.startsWith(path + "/"))
        .toList();
  }

  private static void run(List<String> command) throws IOException, InterruptedException {
    new ProcessBuilder(command).inheritIO().start().waitFor();
  }
}
