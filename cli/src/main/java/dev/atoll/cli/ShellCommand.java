package dev.atoll.cli;

import dev.atoll.sdk.Sandbox;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** An interactive shell in a sandbox. */
@Command(
    name = "shell",
    description = {
      "Open a shell in a sandbox.",
      "Without SANDBOX in a new one that is gone afterwards."
    })
final class ShellCommand extends AtollCommand {
  /** The best shell that the template has. */
  private static final List<String> SHELL =
      List.of("/bin/sh", "-c", "command -v bash >/dev/null && exec bash -l || exec sh -l");

  @Parameters(index = "0", arity = "0..1", paramLabel = "SANDBOX", description = "Id or name.")
  @Nullable String sandbox;

  @Mixin SandboxSettings settings = new SandboxSettings();

  @Override
  public Integer call() {
    if (!stdio().inTerminal() || !stdio().outTerminal()) {
      throw new UsageException("a shell needs a terminal; in scripts use atoll exec or atoll run");
    }
    TerminalSession terminal = new TerminalSession(stdio());
    if (sandbox != null) {
      Sandbox existing = atoll().sandboxes().connect(sandbox);
      if (!settings.absent()) {
        ExistingSandbox.check(existing.info(), settings.spec(null, false));
      }
      return terminal.run(existing, SHELL, options -> settings.env.forEach(options::env));
    }
    try (TemporarySandbox temporary = new TemporarySandbox(session(), settings.spec(null, false))) {
      return terminal.run(temporary.sandbox(), SHELL);
    }
  }
}
