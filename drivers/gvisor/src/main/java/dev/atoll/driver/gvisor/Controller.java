package dev.atoll.driver.gvisor;

import java.util.Locale;

/** What the kernel's control groups can limit, as far as a machine needs it. */
enum Controller {
  MEMORY,
  CPU,
  PIDS;

  /** The kernel's name. */
  String kernelName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
