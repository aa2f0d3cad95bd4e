package dev.atoll.cli;

import dev.atoll.model.AtollException;
import java.util.Optional;

/** The entry point of {@code atoll}. */
public final class Main {
  private Main() {}

  /** Runs a command and exits with its code. */
  public static void main(String[] args) {
    Stdio stdio = Stdio.system();
    int status = run(args, new Session(stdio, Interrupts.ofProcess()));
    System.exit(status);
  }

  /** Runs a command; whatever goes wrong becomes a short message and an exit code. */
  static int run(String[] args, Session session) {
    Stdio stdio = session.stdio();
    Optional<RunCommand> plain = PlainRun.parse(args);
    int status = plain.isPresent() ? plain(plain.get(), session) : PicocliRun.run(args, session);
    stdio.out().flush();
    stdio.err().flush();
    return status;
  }

  private static int plain(RunCommand command, Session session) {
    command.use(session);
    try {
      return command.call();
    } catch (RuntimeException e) {
      return failed(e, session.stdio());
    }
  }

  static int usage(Exception e, Stdio stdio) {
    stdio.message(FailureMessage.of(e));
    return ExitCode.USAGE;
  }

  static int failed(Exception e, Stdio stdio) {
    if (e instanceof UsageException) {
      return usage(e, stdio);
    }
    if (stdio.debug()) {
      e.printStackTrace(stdio.err());
    }
    stdio.message(FailureMessage.of(e));
    if (e instanceof AtollException failure && failure.hint() != null) {
      stdio.err().println("       " + failure.hint());
    }
    return ExitCode.ATOLL_FAILED;
  }
}
