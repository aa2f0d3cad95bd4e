package dev.atoll.cli;

import dev.atoll.model.Connection;
import dev.atoll.model.ConnectionVerdict;
import dev.atoll.model.Visible;
import java.time.temporal.ChronoUnit;

/** A connection as columns for people. */
final class ConnectionCells {
  static final String[] TITLES = {
    "TIME", "SANDBOX", "VERDICT", "HOST", "WAY", "SENT", "RECEIVED", "RULE"
  };
  private static final String LINE = "%-20s  %-16s  %-8s  %-40s  %-12s  %-8s  %-8s  %s";
  private static final int REASON = 160;

  private ConnectionCells() {}

  static String[] of(Connection c) {
    return new String[] {
      c.time().truncatedTo(ChronoUnit.SECONDS).toString(),
      c.sandbox(),
      verdict(c),
      host(c),
      c.way().wire(),
      Bytes.brief(c.bytesSent()),
      Bytes.brief(c.bytesReceived()),
      rule(c)
    };
  }

  /** One line of a stream, whose later lines are not known yet. */
  static String line(Connection connection) {
    return LINE.formatted((Object[]) of(connection)).stripTrailing();
  }

  static String titles() {
    return LINE.formatted((Object[]) TITLES);
  }

  private static String verdict(Connection c) {
    boolean open = c.durationMillis() == null && c.verdict() == ConnectionVerdict.ALLOWED;
    return open ? "open" : c.verdict().wire();
  }

  private static String host(Connection c) {
    String name = Visible.line(c.name());
    if (c.port() == 0) {
      return name;
    }
    return (name.indexOf(':') >= 0 ? "[" + name + "]" : name) + ":" + c.port();
  }

  private static String rule(Connection c) {
    String reason = c.reason() == null ? "" : " (" + Visible.line(c.reason(), REASON) + ")";
    String secrets = c.secrets() == null ? "" : " with secret " + String.join(", ", c.secrets());
    return Visible.line(c.rule()) + secrets + reason;
  }
}
