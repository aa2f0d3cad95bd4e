package dev.atoll.engine.net;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** GOPROXY and GOSUMDB: variables, Go's own env files, and what the installed Go says. */
final class GoConfiguration implements ManagerConfiguration {
  private static final Pattern PROXY = Pattern.compile("(?m)^GOPROXY=['\"]?([^'\"\\n]+)");
  private static final Pattern SUMS = Pattern.compile("(?m)^GOSUMDB=['\"]?([a-z0-9.-]+\\.[a-z]+)");
  private static final Pattern ADDRESS = Pattern.compile("(https?://[^,|\\s'\"]+)");
  private static final List<String> INSTALLED =
      List.of("usr/local/go/go.env", "usr/lib/go*/go.env", "usr/share/go*/go.env");

  @Override
  public List<Found> find(SearchRoot root) {
    List<Found> found = new ArrayList<>();
    String variables =
        "GOPROXY=%s\nGOSUMDB=%s\n".formatted(root.variable("GOPROXY"), root.variable("GOSUMDB"));
    read(variables, "GOPROXY", true, found);
    root.homeTexts(".config/go/env").forEach(f -> read(f.text(), f.path(), true, found));
    boolean configured = !found.isEmpty();
    for (String place : INSTALLED) {
      root.texts(place).forEach(f -> read(f.text(), f.path(), false, found));
    }
    if (found.isEmpty()) {
      String answer = root.tools().output(List.of("go", "env", "GOPROXY", "GOSUMDB"));
      String[] lines = answer.split("\n", -1);
      if (lines.length >= 2) {
        read("GOPROXY=" + lines[0] + "\nGOSUMDB=" + lines[1], "go env", configured, found);
      }
    }
    return found;
  }

  private static void read(String text, String source, boolean configured, List<Found> found) {
    Matcher proxy = PROXY.matcher(text);
    while (proxy.find()) {
      found.addAll(ManagerConfiguration.matches(ADDRESS, proxy.group(1), source, configured));
    }
    Matcher sums = SUMS.matcher(text);
    while (sums.find()) {
      found.addAll(
          ManagerConfiguration.matches(ADDRESS, "https://" + sums.group(1), source, configured));
    }
  }
}
