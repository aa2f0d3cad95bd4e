package dev.atoll.server.http;

import dev.atoll.engine.template.BuildLog;
import dev.atoll.model.BuildEvent;
import java.io.IOException;

/** Sends the log of a build to its end, with pings while it says nothing. */
record BuildStream(Shutdown shutdown) {

  void send(Exchange exchange, BuildLog.Reader log) throws IOException {
    NdjsonWriter writer = new NdjsonWriter(exchange);
    Silence silence = new Silence(exchange.config().pingInterval());
    while (!log.over() && !shutdown.begun()) {
      String line = log.next(silence.atMost(Shutdown.TICK));
      if (line != null) {
        writer.addLine(line);
        silence.broken();
        if (!writer.full()) {
          continue;
        }
      } else if (silence.tooLong()) {
        writer.add(new BuildEvent.Ping());
        silence.broken();
      }
      writer.flush();
    }
    writer.end();
  }
}
