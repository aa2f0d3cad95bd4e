package dev.atoll.server;

import dev.atoll.engine.budget.FairBudget;
import dev.atoll.engine.run.RunFiles;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/** What clients and guests make the server hold. */
record MemoryMeters() implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    Gauge.builder("atoll.memory.held", FairBudget.HEAP, FairBudget::held)
        .description("Memory held because of clients and guests")
        .baseUnit("bytes")
        .register(registry);
    Gauge.builder("atoll.memory.budget", FairBudget.HEAP, FairBudget::total)
        .description("The most of it that there may be")
        .baseUnit("bytes")
        .register(registry);
    FunctionCounter.builder("atoll.memory.refusals", FairBudget.HEAP, FairBudget::refusals)
        .description("How often a project had no room in it")
        .register(registry);
    Gauge.builder("atoll.runs.disk", RunFiles.DISK, FairBudget::held)
        .description("Output of ended runs on disk")
        .baseUnit("bytes")
        .register(registry);
  }
}
