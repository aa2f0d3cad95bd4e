package dev.atoll.supply;

import dev.atoll.supply.Component.Ecosystem;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks an SBOM up in a database of advisories, without a network: {@code Advisories SBOM DATABASE
 * [DAYS]}. Exit code 0: nothing is known; 1: something is; 2: it could not be told.
 */
public final class Advisories {
  private static final long DEFAULT_DAYS = 7;

  private Advisories() {}

  /** Prints one line for each finding. */
  public static void main(String... arguments) {
    System.exit(run(System.out, System.err, arguments));
  }

  static int run(PrintStream out, PrintStream err, String... arguments) {
    try {
      if (arguments.length < 2 || arguments.length > 3) {
        throw new IOException("usage: advisories SBOM DATABASE [DAYS]");
      }
      long days = arguments.length > 2 ? Long.parseLong(arguments[2]) : DEFAULT_DAYS;
      List<Component> parts = Sbom.read(Path.of(arguments[0]));
      if (parts.isEmpty()) {
        throw new IOException(arguments[0] + " has no components");
      }
      Database database = new Database(Path.of(arguments[1]), Duration.ofDays(days));
      List<String> findings = new ArrayList<>();
      for (Ecosystem ecosystem : Ecosystem.values()) {
        List<Component> some =
            parts.stream().filter(part -> part.ecosystem() == ecosystem).toList();
        if (!some.isEmpty()) {
          findings.addAll(database.against(ecosystem, some));
        }
      }
      findings.stream().sorted().forEach(out::println);
      out.println(parts.size() + " parts, " + findings.size() + " findings");
      return findings.isEmpty() ? 0 : 1;
    } catch (IOException | RuntimeException e) {
      // Whatever went wrong, nothing was told about the parts.
      err.println("advisories: " + e.getMessage());
      return 2;
    }
  }
}
