package dev.atoll.server;

import dev.atoll.engine.net.ConnectionLog;
import dev.atoll.model.Connection;
import dev.atoll.model.ConnectionVerdict;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.EnumMap;
import java.util.Map;

/** What the sandboxes of all projects wanted from the network, counted when it has ended. */
record NetworkMeters(ConnectionLog log) implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    Map<ConnectionVerdict, Counter> verdicts = new EnumMap<>(ConnectionVerdict.class);
    for (ConnectionVerdict verdict : ConnectionVerdict.values()) {
      verdicts.put(verdict, connections(verdict).register(registry));
    }
    Counter sent = bytes("sent").register(registry);
    Counter received = bytes("received").register(registry);
    FunctionCounter.builder("atoll.network.unrecorded", log, ConnectionLog::lost)
        .description("Connections that the disk did not take on record")
        .register(registry);
    // The log ends with the engine, before the registry does, so this is never given back.
    ConnectionLog.Subscription _ =
        log.subscribe(
            connection -> {
              if (connection.durationMillis() != null) {
                count(connection, verdicts, sent, received);
              }
            });
  }

  private static void count(
      Connection ended, Map<ConnectionVerdict, Counter> verdicts, Counter sent, Counter received) {
    Counter verdict = verdicts.get(ended.verdict());
    if (verdict != null) {
      verdict.increment();
    }
    sent.increment((double) ended.bytesSent());
    received.increment((double) ended.bytesReceived());
  }

  private static Counter.Builder connections(ConnectionVerdict verdict) {
    return Counter.builder("atoll.network.connections")
        .description("Connections and questions for names that have ended")
        .tag("verdict", verdict.wire());
  }

  private static Counter.Builder bytes(String direction) {
    return Counter.builder("atoll.network.bytes")
        .description("Bytes of connections that have ended, as the sandbox sees them")
        .tag("direction", direction);
  }
}
