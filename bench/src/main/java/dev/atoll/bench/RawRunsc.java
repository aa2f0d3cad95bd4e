package dev.atoll.bench;

import dev.atoll.model.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The bare runsc with the flags that Atoll uses, but without its agent, keeper, limits and server.
 */
final class RawRunsc implements AutoCloseable {
  private static final String REPL =
      """
      import sys
      scope = {}
      for line in sys.stdin:
          try: answer = repr(eval(line, scope))
          except SyntaxError: exec(line, scope); answer = ""
          print(answer, flush=True)
      """;

  private final Path runsc;
  private final Path work;
  private final Path bundle;
  private final AtomicInteger next = new AtomicInteger();

  RawRunsc(Path runsc, Path rootfs, Path work) throws IOException {
    this.runsc = runsc;
    this.work = work;
    this.bundle = Files.createDirectories(work.resolve("bundle"));
    Files.createDirectories(work.resolve("files"));
    Files.write(bundle.resolve("config.json"), Json.lenient().writeValueAsBytes(spec(rootfs)));
  }

  private static Map<String, Object> spec(Path rootfs) {
    return Map.of(
        "ociVersion",
        "1.0.0",
        "hostname",
        "raw",
        "root",
        Map.of("path", rootfs.toString()),
        "process",
        Map.of(
            "args",
            List.of("/usr/bin/python3", "-c", REPL),
            "cwd",
            "/",
            "user",
            Map.of("uid", 1000, "gid", 1000),
            "env",
            List.of("PATH=/usr/bin:/bin", "LANG=C.UTF-8")),
        "mounts",
        List.of(
            Map.of("destination", "/proc", "type", "proc", "source", "proc"),
            Map.of("destination", "/dev", "type", "tmpfs", "source", "tmpfs")),
        "linux",
        Map.of(
            "namespaces",
            List.of(
                Map.of("type", "pid"),
                Map.of("type", "mount"),
                Map.of("type", "ipc"),
                Map.of("type", "uts"),
                Map.of("type", "network"))));
  }

  private List<String> command(String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                runsc.toString(),
                "--root",
                work.resolve("state").toString(),
                "--platform=systrap",
                "--network=none",
                "--overlay2=root:dir=" + work.resolve("files"),
                "--ignore-cgroups"));
    command.addAll(List.of(arguments));
    return command;
  }

  RawSandbox boot() throws IOException {
    String id = "raw-" + next.incrementAndGet();
    return new RawSandbox(this, id, command("run", "-bundle", bundle.toString(), id));
  }

  RawSandbox restore(Path image) throws IOException {
    String id = "raw-" + next.incrementAndGet();
    return new RawSandbox(
        this,
        id,
        command("restore", "--image-path", image.toString(), "-bundle", bundle.toString(), id));
  }

  void run(String... arguments) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command(arguments))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException("runsc " + arguments[0] + " did not end");
    }
  }

  /**
   * A newer runsc leaves a network namespace mounted in its state, which would keep it from being
   * removed.
   */
  @Override
  public void close() throws IOException {
    Path mounted = work.resolve("state/null-netns");
    if (Files.exists(mounted)) {
      try {
        // A mount below a folder that this process has made, and nothing else.
        new ProcessBuilder("umount", mounted.toString()).inheritIO().start().waitFor();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
