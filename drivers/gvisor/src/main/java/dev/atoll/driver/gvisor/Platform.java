package dev.atoll.driver.gvisor;

import java.util.Locale;

/**
 * How gVisor catches system calls. There is no KVM here: it hangs on hosts whose {@code /dev/kvm}
 * opens but runs no guest.
 */
public enum Platform {
  /** Seccomp traps; fast, and the default. */
  SYSTRAP,
  /** Works nearly everywhere, much slower. */
  PTRACE;

  /** The name that runsc knows it by. */
  public String flag() {
    return name().toLowerCase(Locale.ROOT);
  }
}
