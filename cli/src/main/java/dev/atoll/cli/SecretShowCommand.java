package dev.atoll.cli;

import dev.atoll.model.SecretInfo;
import dev.atoll.model.SecretPlace;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows a secret. */
@Command(name = "show", description = "Show a secret, without its value.")
final class SecretShowCommand extends ListingCommand {
  @Parameters(index = "0", paramLabel = "NAME", description = "Its name.")
  String name = "";

  @Override
  public Integer call() {
    SecretInfo secret = atoll().secrets().get(name);
    if (json()) {
      stdio().json(secret);
      return ExitCode.OK;
    }
    line("name", secret.name());
    line("domains", SecretListCommand.domains(secret));
    line("header", secret.header() == null ? "-" : secret.header());
    line("query", secret.query() == null ? "-" : secret.query());
    line("replaced in", replacedIn(secret));
    line("variable", secret.env());
    line("placeholder", secret.placeholder());
    line("changed", Ago.since(secret.changedAt()) + " ago");
    return ExitCode.OK;
  }

  private static String replacedIn(SecretInfo secret) {
    List<SecretPlace> places = secret.replaceIn();
    return places.isEmpty()
        ? "headers for credentials"
        : "headers for credentials, "
            + places.stream().map(SecretPlace::wire).collect(Collectors.joining(", "));
  }

  private void line(String what, String value) {
    stdio().out().printf("%-12s %s%n", what, value);
  }
}
