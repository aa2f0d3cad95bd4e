package dev.atoll.server.trials;

import dev.atoll.model.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;
import org.opentest4j.TestAbortedException;

/**
 * One part of the trials: says how far it is, and writes what came of each try into {@code
 * target/trials}, where the launcher finds it.
 *
 * <p>{@code ATOLL_TRIALS=all} tries everything, {@code ATOLL_TRIALS_END} is the second since the
 * epoch after which nothing more is begun.
 */
final class Trial implements BeforeEachCallback, TestWatcher, AfterAllCallback {
  private static final Path REPORTS = Path.of("target/trials");

  /** What came of one try. */
  private record Outcome(
      String name, String outcome, double seconds, @Nullable String note, List<String> known) {}

  private final String part;
  private final List<Outcome> outcomes = new ArrayList<>();
  private final Map<String, List<String>> known = new ConcurrentHashMap<>();
  private int total;
  private long begun;

  Trial(String part) {
    this.part = part;
  }

  /** Whether everything is tried, or only what the tests have time for. */
  static boolean whole() {
    return "all".equals(System.getenv("ATOLL_TRIALS"));
  }

  /** Says how many tries there will be, and gives them back. */
  <T> List<T> of(List<T> tries) {
    total = tries.size();
    return tries;
  }

  /** Notes a difference that is known, with its reason; it fails nothing. */
  void known(String name, String difference) {
    known.computeIfAbsent(name, n -> new ArrayList<>()).add(difference);
    say("known: " + name + ": " + difference);
  }

  /** Says something on the way. */
  void say(String what) {
    System.out.println("trials: " + part + ": " + what);
  }

  /** Ends a try that cannot be made here; it counts as skipped, and says so. */
  static TestAbortedException skip(String why) {
    return new TestAbortedException(why);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    begun = System.nanoTime();
    String end = System.getenv("ATOLL_TRIALS_END");
    if (end != null && Instant.now().getEpochSecond() > Long.parseLong(end)) {
      throw skip("the time given is over");
    }
  }

  @Override
  public void testSuccessful(ExtensionContext context) {
    add(context, "passed", null);
  }

  @Override
  public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
    add(context, "failed", String.valueOf(cause));
  }

  @Override
  public void testAborted(ExtensionContext context, @Nullable Throwable cause) {
    add(context, "skipped", cause == null ? null : cause.getMessage());
  }

  @Override
  public void testDisabled(ExtensionContext context, Optional<String> reason) {
    add(context, "skipped", reason.orElse(null));
  }

  private void add(ExtensionContext context, String outcome, @Nullable String note) {
    String name = context.getDisplayName();
    double seconds = Duration.ofNanos(System.nanoTime() - begun).toMillis() / 1000.0;
    outcomes.add(new Outcome(name, outcome, seconds, note, known.getOrDefault(name, List.of())));
    say(
        "%d/%d %s %s, %.1f s%s"
            .formatted(
                outcomes.size(), total, name, outcome, seconds, note == null ? "" : ": " + note));
  }

  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("part", part);
    for (String outcome : List.of("passed", "failed", "skipped")) {
      report.put(outcome, outcomes.stream().filter(o -> o.outcome().equals(outcome)).count());
    }
    report.put("known", known.values().stream().mapToInt(List::size).sum());
    report.put("tries", outcomes);
    Files.createDirectories(REPORTS);
    Files.writeString(
        REPORTS.resolve(part + ".json"), Json.lenient().writeValueAsString(report) + "\n");
  }
}
