package dev.atoll.server.http;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.NearestName;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The signals of Linux by name; the numbers are those of x86 and ARM. */
final class Signals {
  private static final List<String> NAMES =
      List.of(
          "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
          "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
          "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS");

  private Signals() {}

  /** The number of {@code SIGTERM}, {@code term} or {@code 15}. */
  static int number(String signal) {
    String upper = signal.strip().toUpperCase(Locale.ROOT);
    String name = upper.startsWith("SIG") ? upper.substring(3) : upper;
    int index = NAMES.indexOf(name);
    if (index >= 0) {
      return index + 1;
    }
    if (name.matches("[0-9]{1,2}")) {
      int number = Integer.parseInt(name);
      if (number >= 1 && number <= NAMES.size()) {
        return number;
      }
    }
    throw new AtollException(
        ErrorCode.INVALID_ARGUMENT,
        "there is no such signal",
        NearestName.hint(name, NAMES),
        Map.of("field", "signal"),
        null);
  }
}
