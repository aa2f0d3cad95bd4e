package dev.atoll.engine.run;

import dev.atoll.model.Json;
import dev.atoll.model.RunError;
import dev.atoll.model.RunStatus;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * An exception as a kernel tells it.
 *
 * @param limit the limit of the sandbox that was behind it, if any
 * @param exitCode as a program with this end would have had
 * @param isExit whether it was a plain exit of the program, which is no failure worth telling
 */
record KernelError(RunError error, @Nullable RunStatus limit, int exitCode, boolean isExit) {
  private static final int MAX_LINES = 1000;
  private static final int MAX_NAME = 1000;
  private static final int MAX_TEXT = 256 << 10;
  private static final int LINE_COST = 64;

  /**
   * Reads what a kernel sent, trusting none of it: what is not looked for is passed over, so that
   * no tree of a million empty lists is ever built from it.
   */
  static KernelError parse(byte[] json) {
    Fields fields = new Fields();
    try (JsonParser parser = Json.lenient().createParser(json)) {
      fields.read(parser);
    } catch (JacksonException e) {
      return new KernelError(
          new RunError("Error", "the kernel's error was unreadable", List.of()), null, 1, false);
    }
    RunStatus limit =
        switch (fields.limit) {
          case "memory" -> RunStatus.MEMORY_LIMIT;
          case "disk" -> RunStatus.DISK_LIMIT;
          case "processes" -> RunStatus.PROCESS_LIMIT;
          default -> null;
        };
    String value = fields.value;
    boolean isExit = fields.name.equals("SystemExit");
    int code = isExit ? exitCode(value) : Math.clamp(fields.exitCode, 1, 255);
    return new KernelError(
        new RunError(fields.name, value, fields.traceback), limit, code, isExit && isNumber(value));
  }

  /** The error with the beginning of what it says. */
  RunError shortened() {
    return new RunError(error.name(), cut(error.value(), MAX_NAME), List.of());
  }

  /** About how many bytes it takes. */
  int size() {
    return error.value().length()
        + error.traceback().stream().mapToInt(line -> line.length() + LINE_COST).sum();
  }

  private static String cut(String text, int most) {
    return text.length() <= most ? text : text.substring(0, most) + "…";
  }

  /** What an error is made of, with what stands for it when it is not there. */
  private static final class Fields {
    private final List<String> traceback = new ArrayList<>();
    private String name = "Error";
    private String value = "";
    private String limit = "";
    private int exitCode = 1;
    private int characters;

    void read(JsonParser parser) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return;
      }
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        String field = parser.currentName();
        JsonToken token = parser.nextToken();
        if (token == JsonToken.VALUE_STRING) {
          text(field, parser.getString());
        } else if (token == JsonToken.VALUE_NUMBER_INT && field.equals("exitCode")) {
          exitCode = parser.getValueAsInt(1);
        } else if (token == JsonToken.START_ARRAY && field.equals("traceback")) {
          lines(parser);
        } else {
          parser.skipChildren();
        }
      }
    }

    private void text(String field, String text) {
      switch (field) {
        case "name" -> name = cut(text, MAX_NAME);
        case "value" -> value = cut(text, MAX_TEXT);
        case "limit" -> limit = text;
        default -> {}
      }
    }

    private void lines(JsonParser parser) {
      for (JsonToken token = parser.nextToken();
          token != JsonToken.END_ARRAY && token != null;
          token = parser.nextToken()) {
        if (token == JsonToken.VALUE_STRING
            && traceback.size() < MAX_LINES
            && characters < MAX_TEXT) {
          String line = cut(parser.getString(), MAX_TEXT - characters);
          characters += line.length();
          traceback.add(line);
        }
        parser.skipChildren();
      }
    }
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
