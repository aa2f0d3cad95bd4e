package dev.atoll.server.config;

import dev.atoll.model.NearestName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The value of every setting, and where it came from. Later sources win over earlier ones. */
public final class Settings {
  private final Map<Setting, Value> values = new EnumMap<>(Setting.class);

  /** Every setting at its default. */
  public Settings() {
    for (Setting setting : Setting.values()) {
      values.put(setting, new Value(setting.byDefault(), "the default"));
    }
  }

  /** Sets a value. */
  public void put(Setting setting, String text, String source) {
    values.put(setting, new Value(text.strip(), source));
  }

  /** Sets the value of a key, which must exist. */
  public void put(String key, String text, String source) {
    Setting setting =
        Setting.of(key)
            .orElseThrow(
                () ->
                    new ConfigException(
                        "there is no setting \""
                            + key
                            + "\" ("
                            + source
                            + "). "
                            + NearestName.hint(key, Setting.keys())));
    put(setting, text, source);
  }

  public String text(Setting setting) {
    return value(setting).text;
  }

  /** An absolute path, or the other one when none is set. */
  public Path path(Setting setting, Path otherwise) {
    return read(
        setting,
        "a path",
        text -> (text.isEmpty() ? otherwise : Path.of(text)).toAbsolutePath().normalize());
  }

  public int number(Setting setting) {
    return read(setting, "a whole number", Integer::parseInt);
  }

  public long size(Setting setting) {
    return read(setting, "a size such as 512, 64KiB or 16MiB", Quantities::size);
  }

  public Duration duration(Setting setting) {
    return read(setting, "a duration such as 500ms, 10s, 5m or 2h", Quantities::duration);
  }

  /** A duration, or null for never. */
  public @Nullable Duration durationOrNever(Setting setting) {
    return text(setting).equals("never") ? null : duration(setting);
  }

  /** Reads a setting; null for unlimited. */
  public <T> @Nullable T orUnlimited(Setting setting, Function<Setting, T> read) {
    return text(setting).equals("unlimited") ? null : read.apply(setting);
  }

  public double decimal(Setting setting) {
    return read(setting, "a number such as 0.5 or 2", Double::parseDouble);
  }

  public boolean flag(Setting setting) {
    return read(
        setting,
        "true or false",
        text ->
            switch (text.toLowerCase(Locale.ROOT)) {
              case "true" -> true;
              case "false" -> false;
              default -> throw new IllegalArgumentException();
            });
  }

  public List<String> list(Setting setting) {
    return Arrays.stream(text(setting).split(",", -1))
        .map(String::strip)
        .filter(entry -> !entry.isEmpty())
        .toList();
  }

  /**
   * A list whose entries have a form.
   *
   * @param form how they look, for who gets one wrong
   * @param parse refuses an entry with an {@link IllegalArgumentException}
   */
  public <T> List<T> list(Setting setting, String form, Function<List<String>, List<T>> parse) {
    List<String> entries = list(setting);
    return read(setting, form, _ -> parse.apply(entries));
  }

  public String oneOf(Setting setting, List<String> choices) {
    return read(
        setting,
        "one of " + String.join(", ", choices),
        text -> {
          String lower = text.toLowerCase(Locale.ROOT);
          if (!choices.contains(lower)) {
            throw new IllegalArgumentException();
          }
          return lower;
        });
  }

  private <T> T read(Setting setting, String form, Function<String, T> parse) {
    Value value = value(setting);
    try {
      return parse.apply(value.text);
    } catch (IllegalArgumentException e) {
      throw new ConfigException(
          setting.key() + " is \"" + value.text + "\" (" + value.source + "), must be " + form, e);
    }
  }

  private Value value(Setting setting) {
    return values.getOrDefault(setting, new Value(setting.byDefault(), "the default"));
  }

  private record Value(String text, String source) {}
}
