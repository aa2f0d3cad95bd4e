package dev.atoll.engine.net;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * cargo's config.toml, its variables, and the folders that cargo keeps for the indexes it has used;
 * else the index that the program itself has for its default.
 */
final class CargoConfiguration implements ManagerConfiguration {
  private static final Pattern LINE =
      Pattern.compile("(?m)^\\s*(?:registry|index)\\s*=\\s*[\"']([^\"']+)[\"']");
  private static final Pattern FOLDER = Pattern.compile("([a-z0-9.-]+\\.[a-z]+)-[0-9a-f]{16}");
  private static final int LONGEST = 200;
  private static final Pattern DEFAULT =
      Pattern.compile("sparse\\+https://[a-z0-9-]{1,63}(?:\\.[a-z0-9-]{1,63}){1,2}/");
  private static final Pattern WORD = Pattern.compile("(\\S+)");
  private static final Pattern SECTION = Pattern.compile("\\s*\\[([^\\[\\]]+)]\\s*(?:#.*)?");
  private static final Pattern SETTING =
      Pattern.compile("\\s*([A-Za-z0-9_-]+)\\s*=\\s*[\"']([^\"']*)[\"']\\s*(?:#.*)?");
  private static final int MAX_SOURCES = 8;

  @Override
  public List<Found> find(SearchRoot root) {
    List<Found> found = new ArrayList<>();
    for (String file : List.of(".cargo/config.toml", ".cargo/config")) {
      for (SearchRoot.Text text : root.homeTexts(file)) {
        found.addAll(ManagerConfiguration.matches(LINE, text.text(), text.path(), true));
      }
    }
    root.environment()
        .forEach(
            (name, value) -> {
              if (name.matches("CARGO_REGISTRIES_\\w+_INDEX")) {
                found.addAll(ManagerConfiguration.matches(WORD, value, name, true));
              }
            });
    for (String home : root.homes()) {
      for (Path folder : root.files(home + "/.cargo/registry/index/*")) {
        Matcher matcher = FOLDER.matcher(folder.getFileName().toString());
        if (matcher.matches()) {
          found.addAll(
              ManagerConfiguration.matches(
                  WORD, "https://" + matcher.group(1) + "/", "cargo's index", false));
        }
      }
    }
    return found.isEmpty() ? builtIn(root) : found;
  }

  /** The sparse index that cargo asks for crates of the usual registry; none when nobody says. */
  List<URI> index(SearchRoot root) {
    Map<String, String> settings = new HashMap<>();
    for (String file : List.of(".cargo/config.toml", ".cargo/config")) {
      root.homeTexts(file).forEach(text -> settings.putAll(settings(text.text())));
    }
    String source = "crates-io";
    for (int hop = 0; hop < MAX_SOURCES; hop++) {
      String next = settings.get("source." + source + ".replace-with");
      if (next == null) {
        break;
      }
      source = next;
    }
    String registry =
        settings.getOrDefault(
            "source." + source + ".registry", settings.get("registries." + source + ".index"));
    if (source.equals("crates-io")) {
      return addresses(builtIn(root));
    }
    // One of git, or a folder, is no sparse index.
    return registry == null || !registry.startsWith("sparse+")
        ? List.of()
        : addresses(ManagerConfiguration.matches(WORD, registry, "cargo's sources", true));
  }

  /** Texts by their full names, as far as a file of cargo's has them one a line. */
  private static Map<String, String> settings(String toml) {
    Map<String, String> settings = new HashMap<>();
    String section = "";
    for (String line : toml.lines().toList()) {
      Matcher header = SECTION.matcher(line);
      Matcher setting = SETTING.matcher(line);
      if (header.matches()) {
        section = header.group(1).replaceAll("[\"'\\s]", "") + ".";
      } else if (setting.matches()) {
        settings.put(section + setting.group(1), setting.group(2));
      }
    }
    return settings;
  }

  private static List<URI> addresses(List<Found> found) {
    return found.stream().limit(1).map(ManagerConfiguration::withoutUser).toList();
  }

  private static List<Found> builtIn(SearchRoot root) {
    List<String> places = new ArrayList<>(List.of("usr/bin/cargo", "usr/lib/rust-*/bin/cargo"));
    root.homes().forEach(home -> places.add(home + "/.rustup/toolchains/*/bin/cargo"));
    for (String place : places) {
      for (SearchRoot.Text text : root.inPrograms(place, DEFAULT, LONGEST)) {
        return ManagerConfiguration.matches(WORD, text.text(), text.path(), false);
      }
    }
    return List.of();
  }
}
