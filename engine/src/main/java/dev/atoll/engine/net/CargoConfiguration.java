package dev.atoll.engine.net;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
