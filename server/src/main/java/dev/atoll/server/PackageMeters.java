package dev.atoll.server;

import dev.atoll.engine.cache.Counts;
import dev.atoll.engine.cache.PackageCache;
import dev.atoll.engine.net.Network;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/** What the package cache does. */
record PackageMeters(Network network) implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    PackageCache cache = network.packages();
    if (cache == null) {
      return;
    }
    requests(registry, cache, "hit", Counts::hits);
    requests(registry, cache, "miss", Counts::misses);
    requests(registry, cache, "stale", Counts::staleOnes);
    requests(registry, cache, "failure", Counts::failures);
    bytes(registry, cache, "fetched", Counts::fetchedBytes);
    bytes(registry, cache, "served", Counts::servedBytes);
    Gauge.builder("atoll.packages.cache.size", cache, PackageCache::bytes)
        .description("Bytes that the package cache keeps")
        .baseUnit("bytes")
        .register(registry);
  }

  private static void requests(
      MeterRegistry registry, PackageCache cache, String outcome, ToDoubleFunction<Counts> count) {
    FunctionCounter.builder("atoll.packages.requests", cache.counts(), count)
        .description("Files and pages that sandboxes asked the package cache for")
        .tag("outcome", outcome)
        .register(registry);
  }

  private static void bytes(
      MeterRegistry registry, PackageCache cache, String way, ToDoubleFunction<Counts> count) {
    FunctionCounter.builder("atoll.packages.bytes", cache.counts(), count)
        .description("Bytes that the package cache has fetched and served")
        .tag("way", way)
        .register(registry);
  }
}
