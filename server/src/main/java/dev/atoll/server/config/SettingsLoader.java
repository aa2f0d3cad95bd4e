package dev.atoll.server.config;

import dev.atoll.model.NearestName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * Gathers settings: defaults, then {@code atoll.yaml} of the data directory, then the environment,
 * then the command line.
 */
public final class SettingsLoader {
  private static final String PREFIX = "ATOLL_";

  private final Map<String, String> environment;
  private final Path home;
  private final boolean root;

  /**
   * A loader for a user.
   *
   * @param home the user's home directory
   * @param root whether the user is root
   */
  public SettingsLoader(Map<String, String> environment, Path home, boolean root) {
    this.environment = Map.copyOf(environment);
    this.home = home;
    this.root = root;
  }

  /** A loader for the user who runs this process. */
  public static SettingsLoader forThisProcess() {
    return new SettingsLoader(
        System.getenv(),
        Path.of(System.getProperty("user.home")),
        "root".equals(System.getProperty("user.name")));
  }

  public Settings load(List<String> arguments) {
    Settings outer = new Settings();
    addEnvironment(outer);
    addArguments(outer, arguments);
    Path directory = dataDirectory(outer);
    Settings settings = new Settings();
    addFile(settings, directory.resolve("atoll.yaml"));
    addEnvironment(settings);
    addArguments(settings, arguments);
    settings.put(Setting.DATA_DIR, directory.toString(), "the default");
    return settings;
  }

  private Path dataDirectory(Settings settings) {
    String atollHome = environment.getOrDefault("ATOLL_HOME", "");
    Path otherwise;
    if (!atollHome.isBlank()) {
      otherwise = Path.of(atollHome);
    } else {
      otherwise = root ? Path.of("/var/lib/atoll") : home.resolve(".local/share/atoll");
    }
    return settings.path(Setting.DATA_DIR, otherwise);
  }

  private static void addFile(Settings settings, Path file) {
    if (!Files.exists(file)) {
      return;
    }
    try {
      JsonNode tree = new YAMLMapper().readTree(Files.readString(file));
      if (!tree.isObject() && !tree.isMissingNode() && !tree.isNull()) {
        throw new ConfigException(file + " must hold keys and values");
      }
      flatten(settings, "", tree, file);
    } catch (IOException | JacksonException e) {
      throw new ConfigException("cannot read " + file + ": " + e.getMessage(), e);
    }
  }

  private static void flatten(Settings settings, String prefix, JsonNode node, Path file) {
    for (Map.Entry<String, JsonNode> entry : node.properties()) {
      String key = prefix + entry.getKey();
      JsonNode value = entry.getValue();
      if (value.isObject()) {
        flatten(settings, key + ".", value, file);
        continue;
      }
      if (key.equals(Setting.DATA_DIR.key())) {
        throw new ConfigException("data-dir cannot be set in " + file + ", which lies inside it");
      }
      settings.put(key, scalar(value), file.toString());
    }
  }

  private static String scalar(JsonNode value) {
    if (value.isArray()) {
      return String.join(",", value.valueStream().map(JsonNode::asString).toList());
    }
    return value.isNull() ? "" : value.asString();
  }

  private void addEnvironment(Settings settings) {
    environment.forEach(
        (name, value) -> {
          Optional<Setting> setting =
              Arrays.stream(Setting.values()).filter(s -> s.variable().equals(name)).findFirst();
          if (setting.isPresent()) {
            settings.put(setting.get(), value, "environment variable " + name);
          } else {
            refuseIfMeantForUs(name);
          }
        });
  }

  /**
   * Clients and launchers have {@code ATOLL_} variables too, so only those are refused that start
   * like a section of the configuration.
   */
  private static void refuseIfMeantForUs(String name) {
    List<String> variables = Arrays.stream(Setting.values()).map(Setting::variable).toList();
    boolean ours =
        Setting.keys().stream()
            .filter(key -> key.contains("."))
            .map(key -> PREFIX + key.substring(0, key.indexOf('.')).toUpperCase(Locale.ROOT))
            .anyMatch(section -> name.startsWith(section + "_"));
    if (ours) {
      throw new ConfigException(
          "there is no setting for the environment variable "
              + name
              + ". "
              + NearestName.hint(name, variables));
    }
  }

  private static void addArguments(Settings settings, List<String> arguments) {
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      if (!argument.startsWith("--") || equals < 0) {
        throw new ConfigException(
            "\"" + argument + "\" is not understood; settings are given as --key=value");
      }
      settings.put(argument.substring(2, equals), argument.substring(equals + 1), argument);
    }
  }
}
