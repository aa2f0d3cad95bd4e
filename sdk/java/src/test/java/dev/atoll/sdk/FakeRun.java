package dev.atoll.sdk;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A run whose events can be sent from any output offset on, as the contract has it. */
final class FakeRun {
  private record Line(long offset, long end, String json) {}

  private final List<Line> lines = new ArrayList<>();
  private long offset;

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
    List<String> due = new ArrayList<>(List.of(Fixture.STARTED));
    for (Line line : lines) {
      if (line.end() > from || (line.offset() == line.end() && line.offset() >= from)) {
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
