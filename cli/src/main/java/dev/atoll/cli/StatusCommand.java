package dev.atoll.cli;

import dev.atoll.model.DriverReport;
import dev.atoll.model.ServerInfo;
import dev.atoll.model.TemplateInfo;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.ConnectionException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;

/** Tells whether the server is up, and starts nothing. */
@Command(name = "status", description = "Tell whether the server is up; exit code 3 if not.")
final class StatusCommand extends ListingCommand {
  /** What scripts read. */
  record Status(
      boolean running,
      String url,
      long pid,
      String version,
      Instant startedAt,
      List<DriverReport> drivers,
      List<TemplateInfo> templates) {}

  @Override
  public Integer call() {
    try {
      Optional<Atoll> running = session().running();
      if (running.isPresent()) {
        return show(running.get());
      }
    } catch (ConnectionException e) {
      // Given an address where nobody answers: not running.
    }
    if (json()) {
      stdio().json(Map.of("running", false));
    } else {
      stdio().out().println("not running; start it with ./atoll up");
    }
    return ExitCode.NOT_RUNNING;
  }

  private int show(Atoll atoll) {
    ServerInfo server = atoll.server();
    String url = atoll.endpoint().url().toString();
    if (json()) {
      stdio()
          .json(
              new Status(
                  true,
                  url,
                  server.pid(),
                  server.version(),
                  server.startedAt(),
                  server.drivers(),
                  server.templates()));
      return ExitCode.OK;
    }
    Table table = new Table("RUNNING", url);
    table.row("version", server.version());
    table.row("pid", Long.toString(server.pid()));
    table.row("up", Ago.since(server.startedAt()));
    for (DriverReport driver : server.drivers()) {
      table.row("driver " + driver.name(), driver.available() ? "ok" : "not available");
    }
    for (TemplateInfo template : server.templates()) {
      table.row("template " + template.name(), template.state());
    }
    table.print(stdio());
    return ExitCode.OK;
  }
}
