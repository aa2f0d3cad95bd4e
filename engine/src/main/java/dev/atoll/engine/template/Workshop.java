package dev.atoll.engine.template;

import dev.atoll.driver.Driver;
import dev.atoll.driver.Machine;
import dev.atoll.driver.MachineLimits;
import dev.atoll.driver.MachineSpec;
import dev.atoll.engine.net.Egress;
import dev.atoll.engine.run.Deadlines;
import dev.atoll.engine.run.RunSettings;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.NetworkPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;

/**
 * Boots the machines that templates are built in. Their directories are beside those of sandboxes,
 * so that what a killed server leaves is found and removed like any other machine without a row.
 *
 * @param folder holds the machines' directories
 * @param ways out of these machines
 * @param variables of everything that runs in a sandbox, for its way to the network
 */
public record Workshop(
    Path folder,
    WaysOut ways,
    Deadlines deadlines,
    RunSettings runs,
    TemplateSettings settings,
    Map<String, String> variables) {
  /** Opens the way out of a machine. */
  public interface WaysOut {
    Egress open(String machine, String project, NetworkPolicy policy, Path rootfs);
  }

  private static final SecureRandom RANDOM = new SecureRandom();

  public Workshop {
    variables = Map.copyOf(variables);
  }

  /** A machine of that root, booted and not yet spoken to. */
  Bench open(Driver driver, Path rootfs, MachineLimits limits, BuildScope scope)
      throws IOException {
    String id = "bld_" + Long.toString(RANDOM.nextLong() >>> 1, 36);
    Path directory = folder.resolve(id);
    Files.createDirectories(directory);
    Machine machine = null;
    try {
      machine = boot(driver, new MachineSpec(id, directory, rootfs, limits), scope);
      return new Bench(this, machine, directory, limits, scope);
    } finally {
      if (machine == null) {
        Bench.delete(directory);
      }
    }
  }

  /** Boots a machine; a build that is cancelled does not wait for it. */
  private static Machine boot(Driver driver, MachineSpec spec, BuildScope scope) {
    Thread thread = Thread.currentThread();
    try (BuildScope.Stage _ = scope.stage(thread::interrupt)) {
      return driver.boot(spec);
    } catch (RuntimeException e) {
      scope.check();
      throw new AtollException(
          ErrorCode.TEMPLATE_BUILD_FAILED,
          "the template does not start: " + e.getMessage(),
          "its last lines say why; look at start:, preload: and kernels: of the recipe",
          Map.of(),
          e);
    } finally {
      // Cleaning up must not be interrupted.
      boolean _ = Thread.interrupted();
    }
  }
}
