package dev.atoll.driver.gvisor;

import dev.atoll.model.Json;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The specification that runsc starts a guest from.
 *
 * <p>Nothing of the host is mounted but the root file system, and that below an overlay. gVisor
 * adds /sys, a /dev/pts and, where the root file system has none or an empty one, a /tmp in memory.
 * Its /proc and /sys are its own and show nothing of the host, so no path needs to be masked.
 */
final class OciSpec {

  /** The agent's place in every root file system. */
  static final String AGENT = "/opt/atoll/agent";

  /**
   * What root in a guest has whose template allows it: it owns and changes files, becomes other
   * users, ends processes, and listens on low ports of loopback. Neither the agent nor what it
   * relies on is within its reach: it may not look into other processes of root, the agent
   * included, and may not mount anything over what the agent reads.
   *
   * <p>gVisor's own kernel grants these to the guest. On the host, runsc gives the same ones to the
   * sandbox's processes, though only within a user namespace of their own, behind a system call
   * filter and in a mount namespace that holds nothing but the root file system; so none is here
   * without need.
   */
  private static final List<String> CAPABILITIES =
      List.of(
          "CAP_CHOWN",
          "CAP_DAC_OVERRIDE",
          "CAP_FOWNER",
          "CAP_FSETID",
          "CAP_KILL",
          "CAP_NET_BIND_SERVICE",
          "CAP_SETGID",
          "CAP_SETUID",
          "CAP_SYS_CHROOT",
          "CAP_SYS_RESOURCE");

  /**
   * The agent's alone: it leads what programs want to connect to outside of loopback to itself,
   * sees datagrams, sets the host name, and gives runs with bounds namespaces and a file system of
   * their own. It takes them from the bounding set first of all, so no program gets them, whoever
   * runs it; that the agent has more than they is also why none of them may trace it. The clock
   * needs none, a restored gVisor has the right time.
   */
  private static final List<String> AGENT_CAPABILITIES =
      Stream.concat(
              CAPABILITIES.stream(),
              Stream.of("CAP_NET_ADMIN", "CAP_NET_RAW", "CAP_SETPCAP", "CAP_SYS_ADMIN"))
          .toList();

  private static final int OPEN_FILES = 65_536;
  private static final int AGENT_STACK = 512 << 10;
  private static final int STACK = 8 << 20;

  private OciSpec() {}

  static byte[] of(String hostname) {
    return Json.strict()
        .writeValueAsBytes(
            Map.of(
                "ociVersion",
                "1.0.0",
                "hostname",
                hostname,
                // Never written to: --overlay2 keeps every change of the guest apart.
                "root",
                Map.of("path", World.ROOTFS.toString(), "readonly", false),
                "process",
                process(),
                "mounts",
                List.of(mount("/proc", "proc"), mount("/dev", "tmpfs")),
                "linux",
                Map.of("namespaces", namespaces())));
  }

  private static Map<String, Object> process() {
    return Map.of(
        "args",
        List.of(AGENT),
        "cwd",
        "/",
        "user",
        Map.of("uid", 0, "gid", 0),
        "env",
        List.of("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
        // The agent changes users, and sudo works where a template allows it.
        "noNewPrivileges",
        false,
        "capabilities",
        Map.of(
            // The start of the agent is an exec of root's, which gets this set. No inheritable one:
            // runsc of 2024 takes these sets for itself too, and cannot inherit what it has not.
            "bounding", AGENT_CAPABILITIES,
            "effective", AGENT_CAPABILITIES,
            "permitted", AGENT_CAPABILITIES),
        "rlimits",
        List.of(
            Map.of("type", "RLIMIT_NOFILE", "soft", OPEN_FILES, "hard", OPEN_FILES),
            // gVisor copies memory in large units when a forked process writes to it, and the stack
            // is
            // one of them: the agent gets a small one. It gives what it starts the usual 8 MiB.
            Map.of("type", "RLIMIT_STACK", "soft", AGENT_STACK, "hard", STACK)));
  }

  private static Map<String, Object> mount(String destination, String type) {
    return Map.of("destination", destination, "type", type, "source", type);
  }

  private static List<Map<String, String>> namespaces() {
    return List.of("pid", "mount", "ipc", "uts", "network").stream()
        .map(type -> Map.of("type", type))
        .toList();
  }
}
