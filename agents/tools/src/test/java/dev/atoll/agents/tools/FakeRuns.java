package dev.atoll.agents.tools;

import dev.atoll.model.Json;
import dev.atoll.model.RunResult;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Results of runs as a server would tell them. */
public final class FakeRuns {
  private FakeRuns() {}

  /** One that wrote something and ended well. */
  public static RunResult ok(String stdout) {
    return of(Map.of("status", "ok", "stdout", stdout));
  }

  /** One that an exception ended. */
  public static RunResult failed(String name, String value) {
    List<String> traceback = List.of("Cell 1, line 1", name + ": " + value);
    return of(
        Map.of(
            "status",
            "error",
            "exitCode",
            1,
            "error",
            Map.of("name", name, "value", value, "traceback", traceback)));
  }

  /** One with these fields; the others are empty. */
  public static RunResult of(Map<String, Object> fields) {
    Map<String, Object> all =
        new HashMap<>(
            Map.of("id", "run_1", "stdout", "", "stderr", "", "exitCode", 0, "durationMillis", 5));
    all.putAll(fields);
    return Json.lenient().convertValue(all, RunResult.class);
  }
}
