package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * An IPv6 address of this host besides its loopback one, for as long as it is open: on the loopback
 * interface, of the range for private use, and for this process alone.
 */
final class Version6Address implements AutoCloseable {
  private final String address = unused(ProcessHandle.current().pid());

  Version6Address() throws IOException {
    change("add");
  }

  private static String unused(long pid) {
    String high = pid >> 16 == 0 ? "" : Long.toHexString(pid >> 16) + ":";
    return "fd77:a7:0:2::" + high + Long.toHexString(pid & 0xffff);
  }

  String address() {
    return address;
  }

  private void change(String action) throws IOException {
    List<String> command =
        List.of("busybox", "ip", "-6", "addr", action, address + "/128", "dev", "lo");
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.onExit().join().exitValue()).as("%s: %s", command, said).isZero();
  }

  @Override
  public void close() throws IOException {
    change("del");
  }
}
