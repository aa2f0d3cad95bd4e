package dev.atoll.engine.template;

import dev.atoll.engine.jail.Jailer;
import dev.atoll.engine.jail.World;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What mmdebstrap, and the scripts of packages that it installs, get of the host: its programs and
 * public settings to read, its network, and the new root file system to write. Settings that only
 * the host's root may read, such as passwords of mirrors, are not readable there.
 */
final class DebianWorld {
  /** Where the new root file system is. */
  static final String ROOT = "/target";

  private static final long SCRATCH_BYTES = 512L << 20;
  private static final long MOST_TASKS = 8192;

  private static final List<String> PROGRAMS =
      List.of("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32");

  /** What apt, dpkg, Perl and the resolver of names look at. */
  private static final List<String> SETTINGS =
      List.of(
          "alternatives",
          "apt",
          "ca-certificates",
          "debian_version",
          "dpkg",
          "gai.conf",
          "group",
          "host.conf",
          "hosts",
          "ld.so.cache",
          "nsswitch.conf",
          "passwd",
          "perl",
          "pki",
          "resolv.conf",
          "services",
          "ssl");

  /** The way to the network, if it has to be told. */
  private static final List<String> VARIABLES =
      List.of("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY");

  private DebianWorld() {}

  static World of(Jailer jailer, Path root) throws IOException {
    World world = jailer.world();
    for (String place : PROGRAMS) {
      world.host(place);
    }
    for (String name : SETTINGS) {
      Path file = Path.of("/etc", name);
      // A link may lead to a place that is not there.
      if (Files.exists(file)) {
        world.readable(file.toRealPath(), file.toString());
      }
    }
    return world
        .processesAndDevices()
        .memory("/tmp", SCRATCH_BYTES)
        .workable(root, ROOT)
        .limit("nproc", MOST_TASKS)
        .hostNetwork();
  }

  /** Nothing of the server's own, which may hold secrets. */
  static Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    environment.put("HOME", "/tmp");
    environment.put("TMPDIR", "/tmp");
    environment.put("LC_ALL", "C.UTF-8");
    VARIABLES.forEach(
        name -> {
          String value = System.getenv(name);
          if (value != null) {
            environment.put(name, value);
          }
        });
    return environment;
  }
}
