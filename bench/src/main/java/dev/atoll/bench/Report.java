package dev.atoll.bench;

import dev.atoll.model.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The comparisons as a table for people and as JSON for programs. */
final class Report {
  private final List<Comparison> comparisons = new ArrayList<>();

  static String header() {
    return "%-36s %10s %10s %10s %10s %6s %6s  %s"
        .formatted("", "atoll p50", "p99", "raw p50", "p99", "ratio", "n", "bar");
  }

  /** Adds a comparison and gives its line. */
  String add(Comparison c) {
    comparisons.add(c);
    return String.format(
        Locale.ROOT,
        "%-36s %10.2f %10.2f %10.2f %10.2f %6.2f %6d  %s",
        c.name() + " [" + c.unit() + "]",
        c.atoll().median(),
        c.atoll().p99(),
        c.raw().median(),
        c.raw().p99(),
        c.ratio(),
        c.atoll().count(),
        c.bar());
  }

  void write(Path file) throws IOException {
    List<Map<String, Object>> lines = new ArrayList<>();
    for (Comparison c : comparisons) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("name", c.name());
      line.put("unit", c.unit());
      line.put("runs", c.atoll().count());
      line.put("atoll", Map.of("p50", c.atoll().median(), "p99", c.atoll().p99()));
      line.put("raw", Map.of("p50", c.raw().median(), "p99", c.raw().p99()));
      line.put("ratio", c.ratio());
      line.put("bar", c.bar());
      lines.add(line);
    }
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("at", Instant.now().toString());
    report.put("cpus", Runtime.getRuntime().availableProcessors());
    report.put("comparisons", lines);
    Path parent = file.toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    Files.write(file, Json.lenient().writerWithDefaultPrettyPrinter().writeValueAsBytes(report));
  }
}
