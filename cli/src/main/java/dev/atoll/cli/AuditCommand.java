package dev.atoll.cli;

import dev.atoll.model.Connection;
import dev.atoll.model.ConnectionVerdict;
import dev.atoll.model.Json;
import dev.atoll.sdk.ConnectionFeed;
import dev.atoll.sdk.ConnectionQuery;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows what sandboxes reached and were refused. */
@Command(
    name = "audit",
    description = {
      "Show what sandboxes reached and were refused, the newest last.",
      "With --follow what happens from now on, one line each; JSON is then one document a line."
    })
final class AuditCommand extends ListingCommand {
  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "SANDBOX",
      description = "Id or name of a sandbox; all of the project by default.")
  @Nullable String sandbox;

  @Option(names = "--refused", description = "Only what was refused.")
  boolean refused;

  @Option(
      names = {"-f", "--follow"},
      description = "Go on with what happens; before that only what --since asks for.")
  boolean follow;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      converter = SinceConverter.class,
      description = "Only from then on: 15m ago, or a time such as 2026-11-15T09:30:00Z.")
  @Nullable Instant since;

  @Option(
      names = {"-n", "--limit"},
      paramLabel = "N",
      defaultValue = "100",
      description = "At most so many of the newest; ${DEFAULT-VALUE} by default.")
  int limit;

  @Override
  public Integer call() {
    if (limit < 1) {
      throw new UsageException("--limit is 1 or more; not " + limit);
    }
    if (follow) {
      follow();
    } else if (json()) {
      stdio().json(recorded());
    } else {
      Table table = new Table(ConnectionCells.TITLES);
      recorded().forEach(connection -> table.row(ConnectionCells.of(connection)));
      table.print(stdio());
    }
    return ExitCode.OK;
  }

  /** The listing is asked for when the feed stands, so that nothing falls between the two. */
  private void follow() {
    try (ConnectionFeed feed = atoll().connections().follow(this::choose)) {
      if (!json()) {
        stdio().out().println(ConnectionCells.titles());
      }
      if (since != null) {
        recorded().forEach(this::print);
      }
      stdio().out().flush();
      for (Connection connection : feed) {
        print(connection);
        stdio().out().flush();
      }
    }
  }

  private List<Connection> recorded() {
    List<Connection> found =
        new ArrayList<>(
            atoll().connections().list(this::chooseSince).stream().limit(limit).toList());
    Collections.reverse(found);
    return found;
  }

  private void chooseSince(ConnectionQuery query) {
    choose(query);
    if (since != null) {
      query.since(since);
    }
  }

  private void choose(ConnectionQuery query) {
    query.pageSize(Math.min(limit, 200));
    if (sandbox != null) {
      query.sandbox(sandbox);
    }
    if (refused) {
      query.verdict(ConnectionVerdict.REFUSED);
    }
  }

  private void print(Connection connection) {
    stdio()
        .out()
        .println(
            json()
                ? Json.lenient().writeValueAsString(connection)
                : ConnectionCells.line(connection));
  }
}
