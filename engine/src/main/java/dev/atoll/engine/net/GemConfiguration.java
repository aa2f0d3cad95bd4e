package dev.atoll.engine.net;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** .gemrc files, and the sources in the installed RubyGems. */
final class GemConfiguration implements ManagerConfiguration {
  private static final Pattern SOURCE =
      Pattern.compile("(?m)^\\s*-\\s*[\"']?(https?://[^\\s\"']+)");
  private static final Pattern BUILT_IN =
      Pattern.compile("(?s)def self\\.default_sources.{0,80}?(https?://[^\\s\"'\\])]+)");

  @Override
  public List<Found> find(SearchRoot root) {
    List<SearchRoot.Text> files = new ArrayList<>(root.texts("etc/gemrc"));
    files.addAll(root.homeTexts(".gemrc"));
    List<Found> found = new ArrayList<>();
    for (SearchRoot.Text file : files) {
      found.addAll(ManagerConfiguration.matches(SOURCE, file.text(), file.path(), true));
    }
    if (found.isEmpty()) {
      List<SearchRoot.Text> installed =
          new ArrayList<>(root.texts("usr/lib/ruby/*/rubygems/defaults.rb"));
      installed.addAll(root.texts("usr/lib/ruby/vendor_ruby/rubygems/defaults.rb"));
      installed.addAll(root.texts("usr/local/lib/ruby/*/rubygems/defaults.rb"));
      installed.addAll(root.texts("usr/local/lib/ruby/site_ruby/*/rubygems/defaults.rb"));
      for (SearchRoot.Text source : installed) {
        for (Found one :
            ManagerConfiguration.matches(BUILT_IN, source.text(), source.path(), false)) {
          found.add(one);
          // RubyGems asks this host of its own registry for the versions that there are.
          URI index = URI.create("https://index." + one.uri().getHost() + "/");
          found.add(new Found(index, source.path(), false));
        }
      }
    }
    return found;
  }
}
