package dev.atoll.engine.net;

import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.NetworkRule;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * How sandboxes reach the network.
 *
 * @param sandbox limits of each sandbox
 * @param project limits of all sandboxes of a project together
 * @param connectDeadline how long a connection may take to stand, with all addresses of its host
 * @param resolveDeadline how long a name may take to be looked up
 * @param idleTimeout after which a connection without a byte in either direction is closed
 * @param bufferBytes what a sandbox may have sent that its peers have not taken
 * @param reachable addresses and names that sandboxes may reach although they are not public; their
 *     policies have to allow them as well
 * @param registries addresses of package registries besides those that are found
 * @param findRegistries whether to look for registries in the configuration of package managers
 * @param retention how long the record of connections is kept
 * @param maxRecords how many connections are kept on record
 * @param ceiling what no policy of a sandbox can exceed, until a project is given another one
 */
public record NetworkSettings(
    TrafficLimits sandbox,
    TrafficLimits project,
    Duration connectDeadline,
    Duration resolveDeadline,
    Duration idleTimeout,
    long bufferBytes,
    List<NetworkRule> reachable,
    List<URI> registries,
    boolean findRegistries,
    Duration retention,
    int maxRecords,
    NetworkPolicy ceiling) {
  public NetworkSettings {
    Objects.requireNonNull(sandbox);
    Objects.requireNonNull(project);
    Objects.requireNonNull(connectDeadline);
    Objects.requireNonNull(resolveDeadline);
    Objects.requireNonNull(idleTimeout);
    Objects.requireNonNull(retention);
    Objects.requireNonNull(ceiling);
    reachable = List.copyOf(reachable);
    registries = List.copyOf(registries);
    if (bufferBytes < 1 || maxRecords < 1) {
      throw new IllegalArgumentException("limits of the network must be positive");
    }
  }

  /**
   * Deadlines of 10 s to connect and 5 s to look up; idle after 10 minutes; 32 MiB of buffers; no
   * exceptions; registries are found; 30 days and one million connections on record; no ceiling.
   */
  public static NetworkSettings defaults() {
    return new NetworkSettings(
        TrafficLimits.ofSandbox(),
        TrafficLimits.ofProject(),
        Duration.ofSeconds(10),
        Duration.ofSeconds(5),
        Duration.ofMinutes(10),
        32L << 20,
        List.of(),
        List.of(),
        true,
        Duration.ofDays(30),
        1_000_000,
        NetworkPolicy.of(NetworkMode.OPEN));
  }

  /** The same with other limits of a sandbox and of a project. */
  public NetworkSettings withLimits(TrafficLimits ofSandbox, TrafficLimits ofProject) {
    return new NetworkSettings(
        ofSandbox,
        ofProject,
        connectDeadline,
        resolveDeadline,
        idleTimeout,
        bufferBytes,
        reachable,
        registries,
        findRegistries,
        retention,
        maxRecords,
        ceiling);
  }

  /** The same with another idle timeout. */
  public NetworkSettings withIdleTimeout(Duration timeout) {
    return new NetworkSettings(
        sandbox,
        project,
        connectDeadline,
        resolveDeadline,
        timeout,
        bufferBytes,
        reachable,
        registries,
        findRegistries,
        retention,
        maxRecords,
        ceiling);
  }

  /** The same with other exceptions. */
  public NetworkSettings withReachable(List<NetworkRule> rules) {
    return new NetworkSettings(
        sandbox,
        project,
        connectDeadline,
        resolveDeadline,
        idleTimeout,
        bufferBytes,
        rules,
        registries,
        findRegistries,
        retention,
        maxRecords,
        ceiling);
  }

  /** The same with another ceiling. */
  public NetworkSettings withCeiling(NetworkPolicy newCeiling) {
    return new NetworkSettings(
        sandbox,
        project,
        connectDeadline,
        resolveDeadline,
        idleTimeout,
        bufferBytes,
        reachable,
        registries,
        findRegistries,
        retention,
        maxRecords,
        newCeiling);
  }
}
