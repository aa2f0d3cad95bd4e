package dev.atoll.server;

import dev.atoll.engine.Ports;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/** What stands into sandboxes now. */
record PortMeters(Ports ports) implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    Gauge.builder("atoll.ports.connections", ports, Ports::openConnections)
        .description("Connections to ports of sandboxes that are open")
        .register(registry);
  }
}
