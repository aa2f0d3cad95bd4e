package dev.atoll.cli;

import dev.atoll.sdk.Atoll;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What every command has: the session, and help. */
abstract class AtollCommand implements Callable<Integer> {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  private @Nullable Session session;

  void use(Session shared) {
    session = shared;
  }

  final Session session() {
    if (session == null) {
      throw new IllegalStateException("a command needs a session");
    }
    return session;
  }

  final Stdio stdio() {
    return session().stdio();
  }

  final Atoll atoll() {
    return session().atoll();
  }
}
