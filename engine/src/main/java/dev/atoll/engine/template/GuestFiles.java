package dev.atoll.engine.template;

import dev.atoll.engine.trust.HostCertificates;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What Atoll puts into every root file system: the agent, the kernels, and the host's certificates.
 */
final class GuestFiles {
  /** Where the agent is, the one program among them. */
  static final String AGENT = "/opt/atoll/agent";

  private static final String RESOURCES = "/dev/atoll/guest/";
  private static final List<String> KERNELS =
      List.of(
          "python/kernel.py",
          "python/bundles.py",
          "python/chart_errors.py",
          "python/chart_kinds.py",
          "python/chart_notes.py",
          "python/chart_values.py",
          "python/charts.py",
          "python/errors.py",
          "python/event_loop.py",
          "python/explaining.py",
          "python/figures.py",
          "python/formatters.py",
          "python/habits.py",
          "python/history.py",
          "python/ipython.py",
          "python/libraries.py",
          "python/magics.py",
          "python/messages.py",
          "python/notebook.py",
          "python/plotly_charts.py",
          "python/preload.py",
          "python/progress.py",
          "python/process.py",
          "python/questions.py",
          "python/rich_live.py",
          "python/scripts.py",
          "python/timing.py",
          "python/variables.py",
          "bash/kernel.sh",
          "bash/loop",
          "bash/bash",
          "bash/successor",
          "node/kernel.js",
          "node/compile.js",
          "node/control.js",
          "node/cells.js",
          "node/errors.js",
          "node/questions.js",
          "node/random.js",
          "java/kernel.jar",
          "java/resolver.jar",
          "java/options",
          "java/run",
          "java/compile");

  private GuestFiles() {}

  /** Path in the guest to content, in a fixed order. */
  static Map<String, byte[]> all() {
    Map<String, byte[]> files = own();
    HostCertificates.bundle()
        .ifPresent(bundle -> files.put(HostCertificates.IN_THE_GUEST, read(bundle)));
    return files;
  }

  /** Those that are Atoll's alone, and are never changed by a template. */
  static Map<String, byte[]> own() {
    Map<String, byte[]> files = new LinkedHashMap<>();
    files.put(AGENT, resource("atoll-agent"));
    for (String file : KERNELS) {
      files.put("/opt/atoll/kernels/" + file, resource("kernels/" + file));
    }
    return files;
  }

  private static byte[] resource(String name) {
    try (InputStream in = GuestFiles.class.getResourceAsStream(RESOURCES + name)) {
      if (in == null) {
        throw new IllegalStateException("the build has left out " + name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
