package dev.atoll.engine.diff;

import dev.atoll.engine.run.HiddenCode;
import dev.atoll.engine.run.Runs;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Json;
import dev.atoll.model.MimeBundle;
import dev.atoll.model.RunResult;
import java.time.Duration;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Asks a Python context about its variables, by code that leaves nothing behind: neither a name,
 * nor a last result, nor a numbered cell.
 */
final class Inspection {
  private static final Duration BUSY_PATIENCE = Duration.ofSeconds(10);
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String MIME = "application/vnd.atoll.variables+json";
  private static final HiddenCode CODE = HiddenCode.read(Inspection.class, "variables.py");

  private Inspection() {}

  /** Name to fingerprint of every variable. */
  static JsonNode all(Runs runs, String context) {
    return ask(runs, context, "None");
  }

  /** Name to exact fingerprint and short text of some variables. */
  static JsonNode some(Runs runs, String context, Collection<String> names) {
    StringBuilder list = new StringBuilder("[");
    names.forEach(name -> list.append(HiddenCode.literal(name)).append(", "));
    return ask(runs, context, list.append("]").toString());
  }

  private static JsonNode ask(Runs runs, String context, String names) {
    RunResult result = runs.inspect(context, CODE.with(names), BUSY_PATIENCE, LIMIT);
    for (MimeBundle shown : result.displays()) {
      // What the user's own threads show meanwhile is of another type.
      if (shown.forms().get(MIME) instanceof String json) {
        try {
          return Json.lenient().readTree(json);
        } catch (JacksonException e) {
          throw unreadable(context, e.getOriginalMessage());
        }
      }
    }
    String error = result.error() == null ? null : result.error().value();
    throw unreadable(context, error == null ? result.status().wire() : error);
  }

  private static AtollException unreadable(String context, @Nullable String why) {
    String reason = String.valueOf(why);
    return new AtollException(
        ErrorCode.CONFLICT,
        "the variables of context %s could not be read: %s"
            .formatted(context, reason.substring(0, Math.min(reason.length(), 200))),
        "restart the context if it does not work any more");
  }
}
