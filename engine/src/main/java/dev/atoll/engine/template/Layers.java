package dev.atoll.engine.template;

import dev.atoll.driver.Driver;
import dev.atoll.engine.files.FileLayer;
import dev.atoll.engine.image.Unpacker;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * What setup commands have changed, by the digest of all that led there: {@code layer-DIGEST/} in
 * the folder of templates, in the form of {@link FileLayer}. A command whose layer is there is not
 * run again.
 *
 * <p>Commands come from callers of the API: they run in a sandbox and never on the host, and what
 * they leave is unpacked as what a stranger has written.
 */
final class Layers {
  /** Small files take a multiple of their room in an archive; what is in them is counted later. */
  private static final int HEADERS = 4;

  private final Path folder;
  private final Workshop workshop;
  private final Unpacker unpacker;

  Layers(Path folder, Workshop workshop, Unpacker unpacker) {
    this.unpacker = unpacker;
    this.folder = folder;
    this.workshop = workshop;
  }

  Path folder(String layer) {
    return folder.resolve("layer-" + layer);
  }

  boolean has(BuildPlan.Step step) {
    return Files.isDirectory(folder(step.layer()));
  }

  /** Changes a root as a step does; nothing else may use the root meanwhile. */
  void apply(BuildPlan.Step step, Path rootfs, BuildScope scope) throws IOException {
    FileLayer.apply(
        folder(step.layer()), rootfs, workshop.settings().maxBytes(), unpacker, scope::stopping);
  }

  /**
   * Runs a step in a machine of a root, which itself is not changed, and keeps what it changed.
   *
   * @param aside an empty folder to work in
   */
  void make(
      Recipe recipe,
      BuildPlan.Step step,
      Path rootfs,
      Path aside,
      Driver driver,
      Instant deadline,
      BuildScope scope)
      throws IOException {
    Tail tail = new Tail();
    LineSplitter lines =
        new LineSplitter(
            line -> {
              tail.add(line);
              scope.output(line);
            });
    try (Bench bench = workshop.open(driver, rootfs, workshop.settings().machine(), scope)) {
      bench.hello(recipe);
      bench.begin(recipe.env());
      bench.letOut(recipe, rootfs);
      Duration left = Duration.between(Instant.now(), deadline);
      RunEvent.End end = bench.run(step.script(), "root", left, lines);
      require(step, end, tail);
      Path packed = aside.resolve("layer");
      long most = HEADERS * workshop.settings().maxBytes();
      FileLayer.packByAgent(bench.guest(), rootfs, packed, most);
      scope.check();
      Bench.install(packed, folder(step.layer()));
      Bench.delete(packed);
    }
  }

  private static void require(BuildPlan.Step step, RunEvent.End end, Tail tail) {
    if (end.status() == RunStatus.OK && end.exitCode() == 0) {
      return;
    }
    String why =
        end.message() != null
            ? end.message()
            : end.status() == RunStatus.TIMEOUT
                ? "it took too long"
                : "exit code " + end.exitCode();
    throw new AtollException(
        ErrorCode.TEMPLATE_BUILD_FAILED,
        step.title() + " failed: " + why + tail.text(),
        "the steps before it are kept; change the recipe and build it again",
        Map.of("exitCode", end.exitCode()),
        null);
  }
}
