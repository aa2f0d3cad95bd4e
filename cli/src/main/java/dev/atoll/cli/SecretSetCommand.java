package dev.atoll.cli;

import dev.atoll.model.SecretDomain;
import dev.atoll.model.SecretInfo;
import dev.atoll.model.SecretPlace;
import dev.atoll.model.SecretSpec;
import dev.atoll.model.SecretValue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes or changes a secret. Its value is no argument: those are seen by others and kept. */
@Command(
    name = "set",
    description = {
      "Make a secret, or change one; what is not given stays.",
      "The value is asked for, or read from standard input when that is not a terminal. Without"
          + " --header and --query it takes the place of the placeholder in headers for credentials,"
          + " such as Authorization, and where --replace-in says."
    })
final class SecretSetCommand extends ListingCommand {
  private static final int MOST = 64 << 10;

  @Parameters(index = "0", paramLabel = "NAME", description = "Its name in the project.")
  String name = "";

  @Option(
      names = "--domain",
      paramLabel = "RULE",
      converter = SecretDomainConverter.class,
      description =
          "Where it may go, such as api.example.com; port 443 unless it says another, over TLS"
              + " except on port 80 and after http://."
              + " Can be given again; together they replace those of before.")
  @Nullable List<SecretDomain> domains;

  @Option(
      names = "--header",
      paramLabel = "TEMPLATE",
      description = "Header that requests get: 'Authorization: Bearer {value}'; '' for none.")
  @Nullable String header;

  @Option(
      names = "--query",
      paramLabel = "TEMPLATE",
      description = "Parameter that requests get: 'key={value}'; '' for none.")
  @Nullable String query;

  @Option(
      names = "--replace-in",
      paramLabel = "PLACE",
      description =
          "Where else the placeholder is replaced: headers, path or query; '' for nowhere."
              + " Can be given again; together they replace those of before.")
  @Nullable List<String> places;

  @Option(
      names = "--env",
      paramLabel = "VARIABLE",
      description = "Variable in which programs find the placeholder; made from NAME by default.")
  @Nullable String env;

  @Option(
      names = "--from-env",
      paramLabel = "VARIABLE",
      description = "Variable of this command that holds the value.")
  @Nullable String fromEnv;

  @Option(names = "--from-file", paramLabel = "FILE", description = "File that holds the value.")
  @Nullable Path fromFile;

  @Option(
      names = "--keep-value",
      description =
          "Change --env and leave the value as it is; nothing is asked for or read. Whatever else"
              + " changes needs the value again.")
  boolean keep;

  @Override
  public Integer call() {
    SecretSpec spec = new SecretSpec(null, value(), domains, header, query, env, places());
    SecretInfo info = atoll().secrets().set(name, spec);
    if (json()) {
      stdio().json(info);
    }
    return ExitCode.OK;
  }

  private @Nullable List<SecretPlace> places() {
    return places == null
        ? null
        : places.stream().filter(place -> !place.isEmpty()).map(SecretPlace::of).toList();
  }

  private @Nullable SecretValue value() {
    if ((keep ? 1 : 0) + (fromEnv != null ? 1 : 0) + (fromFile != null ? 1 : 0) > 1) {
      throw new UsageException("give one of --from-env, --from-file and --keep-value");
    }
    if (keep) {
      return null;
    }
    return SecretValue.of(withoutEnd(text()));
  }

  private String text() {
    if (fromEnv != null) {
      String found = stdio().environment().get(fromEnv);
      if (found == null) {
        throw new UsageException("there is no variable " + fromEnv);
      }
      return found;
    }
    try {
      if (fromFile != null) {
        return Files.readString(fromFile);
      }
      return stdio().inTerminal()
          ? typed()
          : new String(stdio().in().readNBytes(MOST), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What a person types is not shown. */
  private String typed() {
    char[] typed =
        Optional.ofNullable(System.console())
            .map(console -> console.readPassword("Value of %s: ", name))
            .orElse(null);
    if (typed == null) {
      throw new UsageException("no value was given");
    }
    return new String(typed);
  }

  private static String withoutEnd(String text) {
    return text.endsWith("\r\n")
        ? text.substring(0, text.length() - 2)
        : text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
  }
}
