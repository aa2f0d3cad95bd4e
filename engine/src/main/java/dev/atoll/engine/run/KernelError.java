package dev.atoll.engine.run;

import dev.atoll.model.Json;
import dev.atoll.model.RunError;
import dev.atoll.model.RunStatus;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * An exception as a kernel tells it.
 *
 * @param limit the limit of the sandbox that was behind it, if any
 * @param exitCode as a program with this end would have had
 * @param isExit whether it was a plain exit of the program, which is no failure worth telling
 */
record KernelError(RunError error, @Nullable RunStatus limit, int exitCode, boolean isExit) {
  private static final int MAX_LINES = 1000;

  /** Reads what a kernel sent, trusting none of it. */
  static KernelError parse(byte[] json) {
    JsonNode node;
    try {
      node = Json.lenient().readTree(json);
    } catch (JacksonException e) {
      return new KernelError(
          new RunError("Error", "the kernel's error was unreadable", List.of()), null, 1, false);
    }
    String name = node.path("name").asString("Error");
    String value = node.path("value").asString("");
    List<String> traceback = new ArrayList<>();
    for (JsonNode line : node.path("traceback")) {
      if (traceback.size() < MAX_LINES) {
        traceback.add(line.asString(""));
      }
    }
    RunStatus limit =
        switch (node.path("limit").asString("")) {
          case "memory" -> RunStatus.MEMORY_LIMIT;
          case "disk" -> RunStatus.DISK_LIMIT;
          case "processes" -> RunStatus.PROCESS_LIMIT;
          default -> null;
        };
    boolean isExit = name.equals("SystemExit");
    int code = isExit ? exitCode(value) : Math.clamp(node.path("exitCode").asInt(1), 1, 255);
    return new KernelError(
        new RunError(name, value, traceback), limit, code, isExit && isNumber(value));
  }

  private static boolean isNumber(String value) {
    return value.isEmpty() || value.equals("None") || value.matches("-?[0-9]{1,9}");
  }

  private static int exitCode(String value) {
    if (value.isEmpty() || value.equals("None")) {
      return 0;
    }
    return isNumber(value) ? Integer.parseInt(value) & 0xff : 1;
  }
}
