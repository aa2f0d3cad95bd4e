package dev.atoll.engine.net;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** apt's sources, in the old form of one line each and in the new one of paragraphs. */
final class AptConfiguration implements ManagerConfiguration {
  private static final Pattern LINE =
      Pattern.compile("(?m)^\\s*deb(?:-src)?\\s+(?:\\[[^\\]]*\\]\\s+)?(\\S+)");
  private static final Pattern FIELD = Pattern.compile("(?mi)^URIs:\\s*(.*(?:\\n[ \\t]+\\S.*)*)");
  private static final Pattern WORD = Pattern.compile("(\\S+)");

  @Override
  public List<Found> find(SearchRoot root) {
    List<Found> found = new ArrayList<>();
    List<SearchRoot.Text> lists = new ArrayList<>(root.texts("etc/apt/sources.list"));
    lists.addAll(root.texts("etc/apt/sources.list.d/*.list"));
    for (SearchRoot.Text list : lists) {
      found.addAll(ManagerConfiguration.matches(LINE, list.text(), list.path(), true));
    }
    for (SearchRoot.Text sources : root.texts("etc/apt/sources.list.d/*.sources")) {
      Matcher matcher = FIELD.matcher(sources.text());
      while (matcher.find()) {
        found.addAll(ManagerConfiguration.matches(WORD, matcher.group(1), sources.path(), true));
      }
    }
    return found;
  }
}
