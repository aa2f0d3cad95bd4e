package dev.atoll.engine.run;

import dev.atoll.model.Json;
import dev.atoll.model.MimeBundle;
import dev.atoll.model.RawJson;
import dev.atoll.model.RunEvent;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * Reads what a kernel shows: a bundle in which one form may tell what is to be done with it. It is
 * the work of hostile code, so that a mark that makes no sense is none.
 */
final class MarkedDisplay {
  private static final String MARK = "application/vnd.atoll.display+json";
  private static final int MAX_MARK = 1000;

  private MarkedDisplay() {}

  private record Mark(
      @Nullable String id, @Nullable Boolean update, RunEvent.@Nullable Clearing clear) {}

  static RunEvent.Display read(MimeBundle bundle) {
    Object form = bundle.forms().get(MARK);
    if (form == null) {
      return new RunEvent.Display(bundle);
    }
    Map<String, Object> rest = new LinkedHashMap<>(bundle.forms());
    rest.remove(MARK);
    MimeBundle data = new MimeBundle(rest);
    Mark mark = mark(form);
    return mark == null
        ? new RunEvent.Display(data)
        : new RunEvent.Display(data, mark.id(), mark.update(), mark.clear());
  }

  private static @Nullable Mark mark(Object form) {
    if (!(form instanceof RawJson json) || json.text().length() > MAX_MARK) {
      return null;
    }
    try {
      return Json.lenient().readValue(json.text(), Mark.class);
    } catch (JacksonException e) {
      return null;
    }
  }
}
