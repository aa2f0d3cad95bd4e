package dev.atoll.cli;

import dev.atoll.model.DriverReport;
import dev.atoll.model.ServerInfo;
import dev.atoll.sdk.ConnectionException;
import java.util.Map;
import picocli.CommandLine.Command;

/** Shows what works on this machine, what does not, and what to do about it. */
@Command(
    name = "doctor",
    description = {
      "Try what sandboxes need on this machine, and say what to do if it does not work.",
      "Starts the server if it is not up. Each driver starts a real sandbox of its own."
    })
final class DoctorCommand extends ListingCommand {
  @Override
  public Integer call() {
    ServerInfo server;
    try {
      server = atoll().probe();
    } catch (ConnectionException e) {
      if (json()) {
        stdio().json(Map.of("running", false));
      } else {
        stdio().out().println(mark(false) + " server: " + FailureMessage.of(e));
        stdio().out().println("    → " + e.hint());
      }
      return ExitCode.NOT_RUNNING;
    }
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
    server.advice().forEach(line -> stdio().out().println("note: " + line));
  }

  private String mark(boolean ok) {
    String word = ok ? "ok " : "not";
    return stdio().colour() ? (ok ? "\u001b[32m" : "\u001b[31m") + word + "\u001b[0m" : word;
  }
}
