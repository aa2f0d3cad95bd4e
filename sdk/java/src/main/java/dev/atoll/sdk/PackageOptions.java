package dev.atoll.sdk;

import dev.atoll.model.Installer;
import dev.atoll.model.PackagesRequest;
import dev.atoll.model.RunEvent;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How packages are to be installed, set in a lambda: {@code
 * sandbox.packages().install(Installer.PIP, List.of("pandas"), p ->
 * p.timeout(Duration.ofMinutes(2)).onOutput(System.out::print))}.
 */
public final class PackageOptions {
  private final RunListeners listeners = new RunListeners();
  private @Nullable String cwd;
  private @Nullable Double timeoutSeconds;

  PackageOptions() {}

  /** The project that npm installs into; the user's home by default. */
  public PackageOptions cwd(String path) {
    cwd = path;
    return this;
  }

  /** After that time the installation is killed; ten minutes by default. */
  public PackageOptions timeout(Duration limit) {
    timeoutSeconds = Seconds.of(limit);
    return this;
  }

  /** Called with what the package manager writes, as it comes. */
  public PackageOptions onOutput(Consumer<String> consumer) {
    listeners.stdout(consumer);
    listeners.stderr(consumer);
    return this;
  }

  /** Called with every event, on the thread that waits. */
  public PackageOptions onEvent(Consumer<RunEvent> consumer) {
    listeners.events(consumer);
    return this;
  }

  Consumer<RunEvent> listeners() {
    return listeners;
  }

  PackagesRequest request(Installer manager, List<String> packages) {
    return new PackagesRequest(manager, packages, cwd, timeoutSeconds);
  }
}
