package dev.atoll.sdk;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A run whose events can be sent from any output offset on. */
final class FakeRun {
  /** Which events without an offset a server sends again. */
  enum Replay {
    ALL,
    FROM_OFFSET
  }

  private record Line(long offset, long end, String json) {}

  private final List<Line> lines = new ArrayList<>();
  private final Replay replay;
  private long offset;

  FakeRun(Replay replay) {
    this.replay = replay;
  }

  FakeRun output(String text) {
    long end = offset + text.getBytes(StandardCharsets.UTF_8).length;
    lines.add(new Line(offset, end, Fixture.stdout(offset, text)));
    offset = end;
    return this;
  }

  FakeRun other(String json) {
    lines.add(new Line(offset, offset, json));
    return this;
  }

  /** Sends what lies at the offset or behind it; cuts the connection after that many lines. */
  void serve(HttpExchange exchange, long from, int most) throws IOException {
    boolean all = replay == Replay.ALL || from == 0;
    List<String> due = new ArrayList<>(all ? List.of(Fixture.STARTED) : List.of());
    for (Line line : lines) {
      boolean output = line.end() > line.offset();
      if (output ? line.end() > from : all || line.offset() >= from) {
        due.add(line.json());
      }
    }
    FakeServer.lines(exchange, due.subList(0, Math.min(most, due.size())).toArray(String[]::new));
    if (most < due.size()) {
      FakeServer.cut(exchange);
    }
    exchange.close();
  }
}
