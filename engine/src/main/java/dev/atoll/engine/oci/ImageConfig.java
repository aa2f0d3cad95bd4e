package dev.atoll.engine.oci;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.atoll.model.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * What an image says about how it is run. What it starts is of no use here: a sandbox starts what
 * it is told to.
 *
 * @param env variables
 * @param user a name; null when it is root, or a number
 * @param directory where programs start; null when it says none
 */
public record ImageConfig(
    Map<String, String> env, @Nullable String user, @Nullable String directory) {
  private static final int MOST_VARIABLES = 256;

  public ImageConfig {
    env = Map.copyOf(env);
  }

  /** Nothing said. */
  public static ImageConfig empty() {
    return new ImageConfig(Map.of(), null, null);
  }

  private record Document(
      @Nullable Settings config, @Nullable String os, @Nullable String architecture) {}

  private record Settings(
      @JsonProperty("Env") @Nullable List<String> env,
      @JsonProperty("User") @Nullable String user,
      @JsonProperty("WorkingDir") @Nullable String directory) {}

  /** Reads the configuration of an image; what makes no sense is left out. */
  static ImageConfig parse(String json) {
    Settings settings;
    try {
      settings = Json.lenient().readValue(json, Document.class).config();
    } catch (JacksonException e) {
      return empty();
    }
    return settings == null
        ? empty()
        : new ImageConfig(
            variables(settings.env()), user(settings.user()), directory(settings.directory()));
  }

  /** Makes sure that an image says it is for machines of this server. */
  static void requireThisMachine(String json) throws ImageRefused {
    Document said;
    try {
      said = Json.lenient().readValue(json, Document.class);
    } catch (JacksonException e) {
      throw new ImageRefused(
          ImageRefused.Reason.INVALID_MANIFEST, "the configuration of the image is not JSON");
    }
    if (said == null || !"linux".equals(said.os()) || !"amd64".equals(said.architecture())) {
      throw new ImageRefused(
          ImageRefused.Reason.WRONG_PLATFORM,
          said == null
              ? "the configuration of the image is empty"
              : "the image is for %s/%s, not for linux/amd64"
                  .formatted(
                      ImageRefused.quoted(said.os()), ImageRefused.quoted(said.architecture())));
    }
  }

  private static Map<String, String> variables(@Nullable List<String> lines) {
    Map<String, String> variables = new LinkedHashMap<>();
    for (String line : lines == null ? List.<String>of() : lines) {
      int equals = line.indexOf('=');
      String name = equals < 0 ? "" : line.substring(0, equals);
      String value = line.substring(equals + 1);
      boolean plain =
          name.matches("[a-zA-Z_][a-zA-Z0-9_]{0,255}") && !value.matches("(?s).*[\\n\\r\\x00].*");
      if (plain && value.length() <= 32_768 && variables.size() < MOST_VARIABLES) {
        variables.put(name, value);
      }
    }
    return variables;
  }

  private static @Nullable String user(@Nullable String said) {
    String name = said == null ? "" : said.replaceFirst(":.*", "");
    return name.matches("[a-z_][a-z0-9_-]{0,31}") && !name.equals("root") ? name : null;
  }

  private static @Nullable String directory(@Nullable String said) {
    return said != null && said.matches("/[^\\p{Cntrl}]{1,1000}") ? said : null;
  }
}
