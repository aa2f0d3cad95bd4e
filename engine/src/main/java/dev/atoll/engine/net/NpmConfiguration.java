package dev.atoll.engine.net;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** .npmrc files, npm's variables, and the registry in the installed npm's own definitions. */
final class NpmConfiguration implements ManagerConfiguration {
  private static final Pattern LINE =
      Pattern.compile("(?m)^\\s*(?:@[^:\\s]+:)?registry\\s*=\\s*\"?([^\\s\"]+)");
  private static final Pattern UNSCOPED =
      Pattern.compile("(?m)^\\s*registry\\s*=\\s*\"?([^\\s\"]+)");
  private static final List<String> VARIABLES =
      List.of("NPM_CONFIG_REGISTRY", "npm_config_registry");
  private static final Pattern WORD = Pattern.compile("(\\S+)");
  private static final Pattern BUILT_IN =
      Pattern.compile("(?s)\\bregistry'?,?\\s*[({].{0,200}?default:\\s*['\"`](https?://[^'\"`]+)");
  private static final String DEFINITIONS = "@npmcli/config/lib/definitions/definitions.js";
  private static final List<String> INSTALLED =
      List.of(
          "usr/lib/node_modules/npm/node_modules/",
          "usr/local/lib/node_modules/npm/node_modules/",
          "usr/share/nodejs/npm/node_modules/",
          "usr/share/nodejs/");

  private static List<SearchRoot.Text> files(SearchRoot root) {
    List<SearchRoot.Text> files = new ArrayList<>(root.texts("etc/npmrc"));
    files.addAll(root.texts("usr/etc/npmrc"));
    files.addAll(root.texts("usr/local/etc/npmrc"));
    files.addAll(root.homeTexts(".npmrc"));
    return files;
  }

  @Override
  public List<Found> find(SearchRoot root) {
    List<Found> found = new ArrayList<>();
    for (SearchRoot.Text file : files(root)) {
      found.addAll(ManagerConfiguration.matches(LINE, file.text(), file.path(), true));
    }
    for (String variable : VARIABLES) {
      found.addAll(ManagerConfiguration.matches(WORD, root.variable(variable), variable, true));
    }
    found.addAll(builtIn(root));
    return found;
  }

  /** The registry that npm asks for everything without a scope; none when nobody says. */
  List<URI> registry(SearchRoot root) {
    List<Found> found = new ArrayList<>(builtIn(root));
    for (SearchRoot.Text file : files(root)) {
      found.addAll(ManagerConfiguration.matches(UNSCOPED, file.text(), file.path(), true));
    }
    for (String variable : VARIABLES) {
      found.addAll(ManagerConfiguration.matches(WORD, root.variable(variable), variable, true));
    }
    // Of several places that name it the last one is the strongest.
    return found.isEmpty() ? List.of() : List.of(ManagerConfiguration.withoutUser(found.getLast()));
  }

  private static List<Found> builtIn(SearchRoot root) {
    for (String place : INSTALLED) {
      for (SearchRoot.Text source : root.texts(place + DEFINITIONS)) {
        List<Found> found =
            ManagerConfiguration.matches(BUILT_IN, source.text(), source.path(), false);
        if (!found.isEmpty()) {
          return found.subList(0, 1);
        }
      }
    }
    return ManagerConfiguration.matches(
        WORD,
        root.tools().output(List.of("npm", "config", "get", "registry")),
        "npm config get registry",
        false);
  }
}
