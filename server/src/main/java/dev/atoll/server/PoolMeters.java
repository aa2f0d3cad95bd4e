package dev.atoll.server;

import dev.atoll.engine.Pools;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/** How the warm pools of all projects do, the default one included. */
record PoolMeters(Pools pools) implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    counter("atoll.pool.hits", "Sandboxes that a pool had ready", Pools.Totals::hits)
        .register(registry);
    counter("atoll.pool.misses", "Sandboxes that a pool should have had", Pools.Totals::misses)
        .register(registry);
    counter("atoll.pool.refills", "Sandboxes made for pools", Pools.Totals::refills)
        .register(registry);
    counter("atoll.pool.refill", "Time that refills took", Pools.Totals::refillSecondsTotal)
        .baseUnit("seconds")
        .register(registry);
    Gauge.builder("atoll.pool.ready", () -> pools.totals().ready())
        .description("Sandboxes that wait in pools")
        .register(registry);
    Gauge.builder("atoll.pool.blanks", () -> pools.totals().blanks())
        .description("Machines that were begun ahead and have no state yet")
        .register(registry);
    Gauge.builder("atoll.pool.forks", () -> pools.totals().forksAhead())
        .description("Forks that were prepared")
        .register(registry);
    Gauge.builder("atoll.pool.oldest", () -> pools.totals().oldestSeconds())
        .description("Age of the one that waits longest")
        .baseUnit("seconds")
        .register(registry);
  }

  private FunctionCounter.Builder<Pools> counter(
      String name, String description, ToDoubleFunction<Pools.Totals> value) {
    return FunctionCounter.builder(name, pools, source -> value.applyAsDouble(source.totals()))
        .description(description);
  }
}
