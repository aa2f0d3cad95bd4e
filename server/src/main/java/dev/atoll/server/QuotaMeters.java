package dev.atoll.server;

import dev.atoll.engine.quota.Quotas;
import dev.atoll.model.QuotaName;
import dev.atoll.model.QuotaUsage;
import dev.atoll.server.http.Metrics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What quotas have refused, and what projects with limits of their own use. Those are as many as
 * administrators have made, and of them no more than a hundred are shown.
 */
final class QuotaMeters implements Metrics.Refreshed {
  private static final int MOST_PROJECTS = 100;

  private final Quotas quotas;
  private final AtomicReference<@Nullable Gauges> gauges = new AtomicReference<>();

  private record Gauges(MultiGauge used, MultiGauge limit) {}

  QuotaMeters(Quotas quotas) {
    this.quotas = quotas;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    for (QuotaName quota : QuotaName.values()) {
      FunctionCounter.builder("atoll.quota.refusals", quotas, source -> source.refusals(quota))
          .description("What quotas of projects have refused")
          .tag("quota", quota.wire())
          .register(registry);
    }
    gauges.set(
        new Gauges(
            MultiGauge.builder("atoll.quota.used")
                .description("What projects with limits of their own use; memory and disk in MiB")
                .register(registry),
            MultiGauge.builder("atoll.quota.limit")
                .description("What they may use")
                .register(registry)));
  }

  @Override
  public void refresh() {
    Gauges now = gauges.get();
    if (now == null) {
      return;
    }
    List<MultiGauge.Row<?>> used = new ArrayList<>();
    List<MultiGauge.Row<?>> limits = new ArrayList<>();
    quotas.limited().stream()
        .sorted()
        .limit(MOST_PROJECTS)
        .forEach(
            project -> {
              for (QuotaUsage usage : quotas.info(project).quotas()) {
                Tags tags = Tags.of("project", project, "quota", usage.name().wire());
                used.add(MultiGauge.Row.of(tags, usage.used()));
                if (usage.limit() != null) {
                  limits.add(MultiGauge.Row.of(tags, usage.limit()));
                }
              }
            });
    now.used().register(used, true);
    now.limit().register(limits, true);
  }
}
