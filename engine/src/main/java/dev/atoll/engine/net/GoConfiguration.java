package dev.atoll.engine.net;

import dev.atoll.engine.cache.GoSums;
import dev.atoll.engine.cache.PackageCache;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** GOPROXY and GOSUMDB: variables, Go's own env files, and what the installed Go says. */
final class GoConfiguration implements ManagerConfiguration {
  private static final Pattern PROXY = Pattern.compile("(?m)^GOPROXY=['\"]?([^'\"\\n]+)");
  private static final Pattern SUMS = Pattern.compile("(?m)^GOSUMDB=['\"]?([a-z0-9.-]+\\.[a-z]+)");
  private static final Pattern ADDRESS = Pattern.compile("(https?://[^,|\\s'\"]+)");
  private static final List<String> INSTALLED =
      List.of("usr/local/go/go.env", "usr/lib/go*/go.env", "usr/share/go*/go.env");

  private static final Pattern LAST = Pattern.compile("(?:direct|off)");
  private static final Pattern DATABASE =
      Pattern.compile("([a-z0-9][a-z0-9.-]*)(?:\\+\\S+)?(?:\\s+(https?://\\S+))?");

  /**
   * What is said about the database of checksums.
   *
   * @param database null when none is to be asked
   */
  record Sums(@Nullable GoSums database) {}

  /** The proxies that Go asks by this configuration, in their order. */
  List<URI> proxies(SearchRoot root) {
    List<URI> proxies = new ArrayList<>();
    for (String one : value(root, "GOPROXY").split("[,|]", -1)) {
      if (LAST.matcher(one.strip()).matches()) {
        break;
      }
      URI uri = ManagerConfiguration.uri(one);
      if (uri != null) {
        proxies.add(ManagerConfiguration.withoutUser(new Found(uri, "GOPROXY", true)));
      }
    }
    return proxies;
  }

  /** The database that Go believes; null when nobody says. */
  @Nullable Sums sums(SearchRoot root) {
    String value = value(root, "GOSUMDB").strip();
    if (value.isEmpty()) {
      return null;
    }
    Matcher matcher = DATABASE.matcher(value);
    if (value.equals("off") || !matcher.matches()) {
      return new Sums(null);
    }
    String except = value(root, "GONOSUMDB");
    List<String> patterns =
        List.of((except.isEmpty() ? value(root, "GOPRIVATE") : except).split(",", -1));
    String address = matcher.group(2) == null ? "https://" + matcher.group(1) : matcher.group(2);
    URI uri = ManagerConfiguration.uri(address);
    return new Sums(uri == null ? null : new GoSums(matcher.group(1), uri, patterns));
  }

  /** As Go chooses: the environment, the user's own settings, the installation's. */
  private static String value(SearchRoot root, String name) {
    String variable = root.variable(name);
    if (!variable.isBlank()) {
      return variable;
    }
    Pattern line = Pattern.compile("(?m)^" + name + "=['\"]?([^'\"\\n]*)");
    List<SearchRoot.Text> files = new ArrayList<>(root.homeTexts(".config/go/env"));
    INSTALLED.forEach(place -> files.addAll(root.texts(place)));
    for (SearchRoot.Text file : files) {
      Matcher matcher = line.matcher(file.text());
      while (matcher.find()) {
        // Templates have the cache there, before what Go brings along.
        if (!matcher.group(1).isBlank() && !matcher.group(1).contains(PackageCache.HOST)) {
          return matcher.group(1);
        }
      }
    }
    return root.tools().output(List.of("go", "env", name)).strip();
  }

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
      ManagerConfiguration.matches(ADDRESS, proxy.group(1), source, configured).stream()
          .filter(one -> !PackageCache.HOST.equals(one.uri().getHost()))
          .forEach(found::add);
    }
    Matcher sums = SUMS.matcher(text);
    while (sums.find()) {
      found.addAll(
          ManagerConfiguration.matches(ADDRESS, "https://" + sums.group(1), source, configured));
    }
  }
}
