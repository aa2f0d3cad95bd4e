package dev.atoll.server.http;

import dev.atoll.model.RunStatus;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What is counted, in the form that Prometheus reads. */
public final class Metrics implements AutoCloseable {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics garbage = new JvmGcMetrics();
  private final List<Refreshed> refreshed;
  private final Map<Request, Timer> requests = new ConcurrentHashMap<>();
  private final Map<RunEnd, Timer> runs = new ConcurrentHashMap<>();

  /** Meters of which there are more or fewer as time goes on. */
  public interface Refreshed extends MeterBinder {
    /** Called before they are read. */
    void refresh();
  }

  /** Counts requests, runs, the JVM, and whatever else is bound. */
  public Metrics(List<MeterBinder> others) {
    garbage.bindTo(registry);
    new ClassLoaderMetrics().bindTo(registry);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    others.forEach(other -> other.bindTo(registry));
    refreshed =
        others.stream().filter(Refreshed.class::isInstance).map(Refreshed.class::cast).toList();
  }

  void requestEnded(@Nullable Route route, int status, long nanos) {
    Request request =
        route == null
            ? new Request("other", "unmatched", status)
            : new Request(route.method(), route.path(), status);
    requests.computeIfAbsent(request, this::timer).record(nanos, TimeUnit.NANOSECONDS);
  }

  void runEnded(String kind, RunStatus status, long millis) {
    runs.computeIfAbsent(new RunEnd(kind, status), this::timer).record(Duration.ofMillis(millis));
  }

  String scrape() {
    refreshed.forEach(Refreshed::refresh);
    return registry.scrape();
  }

  @Override
  public void close() {
    garbage.close();
    registry.close();
  }

  private Timer timer(Request request) {
    return Timer.builder("atoll.http.requests")
        .description("HTTP requests by route and status")
        .tag("method", request.method)
        .tag("route", request.path)
        .tag("status", Integer.toString(request.status))
        .register(registry);
  }

  private Timer timer(RunEnd run) {
    return Timer.builder("atoll.runs")
        .description("Runs whose end a caller waited for")
        .tag("kind", run.kind)
        .tag("status", run.status.wire())
        .register(registry);
  }

  private record Request(String method, String path, int status) {}

  private record RunEnd(String kind, RunStatus status) {}
}
