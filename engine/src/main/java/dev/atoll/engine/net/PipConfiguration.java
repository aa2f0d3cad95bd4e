package dev.atoll.engine.net;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** pip.conf in its usual places, pip's variables, and the index that the installed pip knows. */
final class PipConfiguration implements ManagerConfiguration {
  private static final Pattern INDEX =
      Pattern.compile("(?m)^\\s*(?:global\\.)?index[-_]url\\s*[=:]\\s*(\\S+)");
  private static final Pattern EXTRA =
      Pattern.compile("(?m)^\\s*extra[-_]index[-_]url\\s*[=:]\\s*(.+(?:\\n[ \\t]+\\S.*)*)");
  private static final Pattern WORD = Pattern.compile("(\\S+)");

  /** In pip's own source: its index, and the host of that index's files. */
  private static final Pattern BUILT_IN =
      Pattern.compile(
          "(?s)\\bPyPI\\s*=\\s*PackageIndex\\(\\s*[\"']([^\"']+)[\"']\\s*,\\s*file_storage_domain\\s*=\\s*[\"']([^\"']+)[\"']");

  private static final String MODEL = "/pip/_internal/models/index.py";
  private static final List<String> INSTALLED =
      List.of(
          "usr/lib/python3*/dist-packages",
          "usr/lib/python3*/site-packages",
          "usr/local/lib/python3*/dist-packages",
          "usr/local/lib/python3*/site-packages",
          "opt/*/lib/python3*/site-packages");

  @Override
  public List<Found> find(SearchRoot root) {
    Configured configured = read(root);
    List<Found> found = new ArrayList<>(configured.extra());
    found.addAll(configured.index().isEmpty() ? builtIn(root) : configured.index());
    return found;
  }

  /** The indexes that pip asks by this configuration, the main one first. */
  List<URI> indexes(SearchRoot root) {
    Configured configured = read(root);
    List<Found> main = configured.index();
    // Of several places that name it the last one is the strongest.
    Found first = main.isEmpty() ? builtIn(root).stream().findFirst().orElse(null) : main.getLast();
    List<Found> all = new ArrayList<>(first == null ? List.of() : List.of(first));
    all.addAll(configured.extra());
    return all.stream().map(ManagerConfiguration::withoutUser).distinct().toList();
  }

  /** What configuration names, from the weakest place to the strongest. */
  private record Configured(List<Found> index, List<Found> extra) {}

  private static Configured read(SearchRoot root) {
    List<Found> index = new ArrayList<>();
    List<Found> extra = new ArrayList<>();
    List<SearchRoot.Text> files = new ArrayList<>(root.texts("etc/pip.conf"));
    files.addAll(root.texts("etc/xdg/pip/pip.conf"));
    files.addAll(root.homeTexts(".config/pip/pip.conf"));
    files.addAll(root.homeTexts(".pip/pip.conf"));
    String named = root.variable("PIP_CONFIG_FILE");
    if (named.startsWith("/")) {
      files.addAll(root.texts(named.substring(1)));
    }
    for (SearchRoot.Text file : files) {
      index.addAll(ManagerConfiguration.matches(INDEX, file.text(), file.path(), true));
      extra.addAll(words(EXTRA, file.text(), file.path()));
    }
    index.addAll(
        ManagerConfiguration.matches(WORD, root.variable("PIP_INDEX_URL"), "PIP_INDEX_URL", true));
    extra.addAll(
        ManagerConfiguration.matches(
            WORD, root.variable("PIP_EXTRA_INDEX_URL"), "PIP_EXTRA_INDEX_URL", true));
    return new Configured(index, extra);
  }

  private static List<Found> words(Pattern pattern, String text, String source) {
    List<Found> found = new ArrayList<>();
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      found.addAll(ManagerConfiguration.matches(WORD, matcher.group(1), source, true));
    }
    return found;
  }

  private static List<Found> builtIn(SearchRoot root) {
    List<String> places = new ArrayList<>(INSTALLED.stream().map(place -> place + MODEL).toList());
    Matcher version =
        Pattern.compile(" from /(\\S+)/pip ")
            .matcher(root.tools().output(List.of("pip3", "--version")));
    if (version.find()) {
      places.add(version.group(1) + MODEL);
    }
    for (String place : places) {
      for (SearchRoot.Text source : root.texts(place)) {
        Matcher matcher = BUILT_IN.matcher(source.text());
        if (matcher.find()) {
          return of(matcher, source.path());
        }
      }
    }
    return List.of();
  }

  private static List<Found> of(Matcher matcher, String source) {
    List<Found> found = new ArrayList<>();
    URI base = ManagerConfiguration.uri(matcher.group(1));
    URI files = ManagerConfiguration.uri("https://" + matcher.group(2) + "/");
    if (base != null) {
      found.add(new Found(base.resolve("simple/"), source, false));
    }
    if (files != null) {
      found.add(new Found(files, source, false));
    }
    return found;
  }
}
