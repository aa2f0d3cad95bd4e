package dev.atoll.server;

import dev.atoll.driver.Driver;
import dev.atoll.driver.gvisor.GvisorConfig;
import dev.atoll.driver.gvisor.GvisorDriver;
import dev.atoll.driver.gvisor.Platform;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The drivers of this distribution, the strongest first; no other class names them. */
final class Drivers {
  private Drivers() {}

  static List<Driver> of(ServerConfig config) {
    GuestPrograms programs = GuestPrograms.install(config.storage().dataDirectory());
    GvisorConfig gvisor =
        GvisorConfig.of(
                program(config.gvisor().runsc()),
                programs.keeper(),
                programs.jailer(),
                programs.agent())
            .keeping(config.storage().dataDirectory().resolve("runsc"))
            .with(Platform.valueOf(config.gvisor().platform().toUpperCase(Locale.ROOT)));
    return List.of(new GvisorDriver(gvisor));
  }

  /** A name is looked for on the PATH; one that is not there is left for the probe to report. */
  private static Path program(String name) {
    if (name.indexOf(File.separatorChar) >= 0) {
      return Path.of(name);
    }
    String path = System.getenv().getOrDefault("PATH", "/usr/local/bin:/usr/bin:/bin");
    return Arrays.stream(path.split(File.pathSeparator, -1))
        .filter(directory -> !directory.isEmpty())
        .map(directory -> Path.of(directory, name))
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(Path.of("/usr/local/bin", name));
  }
}
