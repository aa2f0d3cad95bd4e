package dev.atoll.engine;

import dev.atoll.driver.MachineLimits;
import dev.atoll.engine.cache.PackageCache;
import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.trust.HostCertificates;
import dev.atoll.model.Language;
import dev.atoll.model.SandboxInfo;
import dev.atoll.protocol.wire.Limits;
import dev.atoll.protocol.wire.Thaw;
import java.util.HashMap;
import java.util.Map;

/**
 * What a guest is told about itself.
 *
 * @param env variables of everything that runs in it
 */
record Identity(String sandbox, Map<String, String> env, MachineLimits limits) {
  Identity {
    env = Map.copyOf(env);
  }

  /** The package cache is reached directly, over connections that are used again. */
  private static final String NOT_PROXIED = "localhost,127.0.0.1,::1," + PackageCache.HOST;

  /**
   * The agent's own proxy, through which programs reach what the policy allows, and the
   * certificates that they trust. All variables name the proxy as an HTTP proxy, which every client
   * knows; SOCKS in {@code ALL_PROXY} would break those that lack a library for it.
   */
  static final Map<String, String> NETWORK =
      Map.of(
          "http_proxy",
          "http://127.0.0.1:3128",
          "https_proxy",
          "http://127.0.0.1:3128",
          "HTTP_PROXY",
          "http://127.0.0.1:3128",
          "HTTPS_PROXY",
          "http://127.0.0.1:3128",
          "no_proxy",
          NOT_PROXIED,
          "NO_PROXY",
          NOT_PROXIED,
          "NODE_USE_ENV_PROXY",
          "1",
          "NODE_EXTRA_CA_CERTS",
          HostCertificates.IN_THE_GUEST,
          "SSL_CERT_FILE",
          HostCertificates.IN_THE_GUEST,
          "REQUESTS_CA_BUNDLE",
          HostCertificates.IN_THE_GUEST);

  /**
   * The sandbox's own variables over those of its template.
   *
   * @param placeholders of its secrets, by variable; what the sandbox says itself wins
   */
  static Identity of(
      SandboxInfo info, Map<String, String> templateEnv, Map<String, String> placeholders) {
    Map<String, String> env = new HashMap<>(NETWORK);
    env.putAll(templateEnv);
    env.putAll(placeholders);
    env.put("ATOLL_SANDBOX_ID", info.id());
    env.putAll(info.env());
    // The agent shows programs so many processors; without it they see all of the host's.
    env.put("ATOLL_CPUS", Integer.toString((int) Math.ceil(info.cpus())));
    return new Identity(
        info.id(), env, limits(info.cpus(), info.memoryMiB(), info.diskMiB(), info.processes()));
  }

  /** The language of code that names none, which a template or the sandbox itself may set. */
  String language() {
    String name = env.get("ATOLL_LANGUAGE");
    return name == null || name.isEmpty() ? Language.PYTHON.name() : Language.of(name).name();
  }

  static MachineLimits limits(double cpus, int memoryMiB, int diskMiB, int processes) {
    return new MachineLimits(cpus, (long) memoryMiB << 20, (long) diskMiB << 20, processes);
  }

  /** To a guest that was restored, which draws new random numbers from then on. */
  Thaw restored() {
    return thaw(true);
  }

  /** To a guest that goes on. */
  Thaw goingOn() {
    return thaw(false);
  }

  private Thaw thaw(boolean restored) {
    Limits own =
        Limits.newBuilder()
            .setMemoryBytes(limits.memoryBytes())
            .setDiskBytes(limits.diskBytes())
            .setProcesses(limits.processes())
            .build();
    return Guest.thaw(restored, sandbox.replace('_', '-'), env, own);
  }
}
