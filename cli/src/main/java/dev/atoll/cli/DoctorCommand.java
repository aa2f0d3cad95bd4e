package dev.atoll.cli;

import dev.atoll.model.DriverReport;
import dev.atoll.model.ServerInfo;
import dev.atoll.sdk.Atoll;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;

/** Shows what works on this machine, what does not, and what to do about it. */
@Command(name = "doctor", description = "Check what sandboxes need on this machine.")
final class DoctorCommand extends ListingCommand {
  @Override
  public Integer call() {
    Optional<Atoll> running = session().running();
    if (running.isEmpty()) {
      if (json()) {
        stdio().json(Map.of("running", false));
      } else {
        stdio().out().println(mark(false) + " server: not running; start it with ./atoll up");
      }
      return ExitCode.NOT_RUNNING;
    }
    ServerInfo server = running.get().server();
    boolean healthy = server.drivers().stream().anyMatch(DriverReport::available);
    if (json()) {
      stdio().json(server);
    } else {
      print(server);
    }
    return healthy ? ExitCode.OK : 1;
  }

  private void print(ServerInfo server) {
    stdio().out().println(mark(true) + " server: " + server.version() + ", pid " + server.pid());
    for (DriverReport driver : server.drivers()) {
      stdio()
          .out()
          .println(
              mark(driver.available())
                  + " "
                  + driver.name()
                  + " ("
                  + driver.isolation().wire()
                  + ") "
                  + driver.version());
      driver.checks().forEach(check -> stdio().out().println("    " + check));
      if (driver.advice() != null) {
        stdio().out().println("    → " + driver.advice());
      }
    }
  }

  private String mark(boolean ok) {
    String word = ok ? "ok " : "not";
    return stdio().colour() ? (ok ? "\u001b[32m" : "\u001b[31m") + word + "\u001b[0m" : word;
  }
}
