package dev.atoll.driver.gvisor;

/** How a process ended, as the kernel's wait status says it. */
record WaitStatus(int raw) {
  private static final int SIGNAL = 0x7f;

  @Override
  public String toString() {
    int signal = raw & SIGNAL;
    return signal == 0 ? "exit status " + (raw >> 8 & 0xff) : "signal " + signal;
  }
}
