package dev.atoll.engine.run;

import java.util.Map;

/** Signal names of Linux on x86-64 and arm64, which agree. */
final class Signals {
  /** The number of SIGKILL. */
  static final int KILL = 9;

  private static final Map<String, Integer> NUMBERS =
      Map.ofEntries(
          Map.entry("HUP", 1),
          Map.entry("INT", 2),
          Map.entry("QUIT", 3),
          Map.entry("ILL", 4),
          Map.entry("TRAP", 5),
          Map.entry("ABRT", 6),
          Map.entry("BUS", 7),
          Map.entry("FPE", 8),
          Map.entry("KILL", KILL),
          Map.entry("USR1", 10),
          Map.entry("SEGV", 11),
          Map.entry("USR2", 12),
          Map.entry("PIPE", 13),
          Map.entry("ALRM", 14),
          Map.entry("TERM", 15),
          Map.entry("CHLD", 17),
          Map.entry("CONT", 18),
          Map.entry("STOP", 19),
          Map.entry("TSTP", 20),
          Map.entry("XCPU", 24),
          Map.entry("XFSZ", 25),
          Map.entry("WINCH", 28),
          Map.entry("SYS", 31));

  private Signals() {}

  /** The name of a signal, such as {@code SIGKILL}. */
  static String name(int number) {
    return NUMBERS.entrySet().stream()
        .filter(entry -> entry.getValue() == number)
        .map(entry -> "SIG" + entry.getKey())
        .findFirst()
        .orElse("SIG" + number);
  }
}
