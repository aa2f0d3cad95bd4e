package dev.atoll.cli;

import dev.atoll.model.PortAccess;
import dev.atoll.model.PortInfo;
import dev.atoll.model.PortShare;
import dev.atoll.sdk.SandboxPorts;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lets others reach a port of a sandbox. */
@Command(
    name = "share",
    description = {
      "Let others reach a port of a sandbox: print an address with a token in it.",
      "Without a port, list the tokens that are good; --revoke takes one back."
    })
final class ShareCommand extends SandboxCommand {
  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "PORT",
      description = "The port in the sandbox.")
  @Nullable Integer port;

  @ArgGroup Choice choice = new Choice();

  /** What to do instead of making a token that is good for a day. */
  static final class Choice {
    @Option(
        names = "--ttl",
        paramLabel = "DURATION",
        converter = DurationConverter.class,
        description = "How long the token is good for; a day by default.")
    @Nullable Duration ttl;

    @Option(names = "--public", description = "Let everybody in who knows the address.")
    boolean open;

    @Option(names = "--private", description = "Let only those in who have a key or a token.")
    boolean closed;

    @Option(names = "--revoke", paramLabel = "ID", description = "Take a token back.")
    @Nullable String revoke;
  }

  @Override
  public Integer call() {
    SandboxPorts ports = sandbox().ports();
    if (choice.revoke != null) {
      ports.revoke(choice.revoke);
    } else if (port == null) {
      list(ports);
    } else if (choice.open || choice.closed) {
      tell(ports.access(port, choice.open ? PortAccess.PUBLIC : PortAccess.PRIVATE));
    } else {
      tell(choice.ttl == null ? ports.share(port) : ports.share(port, choice.ttl));
    }
    return ExitCode.OK;
  }

  private void list(SandboxPorts ports) {
    if (choice.open || choice.closed || choice.ttl != null) {
      throw new UsageException("which port? Give it behind the sandbox");
    }
    if (json()) {
      stdio().json(ports.shares());
      return;
    }
    Table table = new Table("ID", "PORT", "CREATED", "EXPIRES");
    for (PortShare share : ports.shares()) {
      table.row(
          share.id(),
          Integer.toString(share.port()),
          Ago.since(share.createdAt()),
          share.expiresAt().toString());
    }
    table.print(stdio());
  }

  private void tell(PortShare share) {
    if (json()) {
      stdio().json(share);
    } else {
      stdio().out().println(share.url());
    }
  }

  private void tell(PortInfo info) {
    if (json()) {
      stdio().json(info);
    } else {
      stdio().out().println(info.url());
    }
  }
}
