package dev.atoll.engine;

import java.io.UncheckedIOException;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shares the processors among projects where not all sandboxes get what they want: each project
 * weighs the same, however many sandboxes it has. What nobody else wants is for whoever wants it.
 */
final class CpuWeights {
  private static final Logger LOG = LoggerFactory.getLogger(CpuWeights.class);

  private final Registry registry;

  CpuWeights(Registry registry) {
    this.registry = registry;
  }

  /** Brings the weights of all machines in line with how many their projects have. */
  void tick() {
    Map<String, Long> counts =
        registry.all().stream()
            .filter(sandbox -> sandbox.incarnation() != null)
            .collect(Collectors.groupingBy(LiveSandbox::project, Collectors.counting()));
    registry.all().forEach(sandbox -> weigh(sandbox, counts));
  }

  private static void weigh(LiveSandbox sandbox, Map<String, Long> counts) {
    Incarnation body = sandbox.incarnation();
    Long count = counts.get(sandbox.project());
    if (body == null || count == null) {
      return;
    }
    try {
      body.weigh(1.0 / count);
    } catch (UncheckedIOException e) {
      // Most likely it has just ended.
      LOG.debug("sandbox {} keeps its weight", sandbox.id(), e);
    }
  }
}
