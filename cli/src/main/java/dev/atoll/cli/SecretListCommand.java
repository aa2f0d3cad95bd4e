package dev.atoll.cli;

import dev.atoll.model.SecretDomain;
import dev.atoll.model.SecretInfo;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** Lists the secrets. */
@Command(name = "ls", description = "List the secrets, without their values.")
final class SecretListCommand extends ListingCommand {
  @Override
  public Integer call() {
    List<SecretInfo> secrets = atoll().secrets().list();
    if (json()) {
      stdio().json(secrets);
      return ExitCode.OK;
    }
    Table table = new Table("NAME", "DOMAINS", "VARIABLE", "TEMPLATE", "CHANGED");
    for (SecretInfo secret : secrets) {
      table.row(
          secret.name(),
          domains(secret),
          secret.env(),
          template(secret),
          Ago.since(secret.changedAt()) + " ago");
    }
    table.print(stdio());
    return ExitCode.OK;
  }

  static String domains(SecretInfo secret) {
    return secret.domains().stream().map(SecretDomain::toString).collect(Collectors.joining(" "));
  }

  private static String template(SecretInfo secret) {
    return secret.header() != null
        ? secret.header()
        : secret.query() != null ? "?" + secret.query() : "-";
  }
}
