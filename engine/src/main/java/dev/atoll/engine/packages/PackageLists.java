package dev.atoll.engine.packages;

import dev.atoll.model.InstalledPackage;
import dev.atoll.model.Installer;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the lists that package managers print of what is installed. */
public final class PackageLists {
  private static final Pattern PIP = Pattern.compile("^(\\S+?)===?(\\S+)$");
  private static final Pattern APT = Pattern.compile("^([^=\\s]+)=(\\S+)$");
  private static final Pattern NPM = Pattern.compile("^[^:]*:(@?[^@:\\s]+)@([^:\\s]+)");
  private static final Pattern GEM = Pattern.compile("^(\\S+) \\((?:default: )?([^,)\\s]+)");
  private static final Pattern CARGO = Pattern.compile("^(\\S+) v([^:\\s]+)");

  private PackageLists() {}

  /** The packages in the output of {@link Installation#list}. */
  public static List<InstalledPackage> parse(Installer manager, String output) {
    Pattern line =
        switch (manager) {
          case PIP -> PIP;
          case APT -> APT;
          case NPM -> NPM;
          case GEM -> GEM;
          case CARGO -> CARGO;
        };
    return output.lines().map(text -> one(line, text)).flatMap(Optional::stream).toList();
  }

  private static Optional<InstalledPackage> one(Pattern line, String text) {
    Matcher matcher = line.matcher(text);
    return matcher.find()
        ? Optional.of(new InstalledPackage(matcher.group(1), matcher.group(2)))
        : Optional.empty();
  }
}
