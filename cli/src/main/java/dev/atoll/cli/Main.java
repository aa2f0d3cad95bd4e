package dev.atoll.cli;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.sdk.ApiException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The entry point of {@code atoll}. */
public final class Main {
  private Main() {}

  /** Runs a command and exits with its code. */
  public static void main(String[] args) {
    Stdio stdio = Stdio.system();
    Interrupts interrupts = Interrupts.ofProcess();
    int status = run(args, new Session(stdio, interrupts));
    System.exit(interrupts.status(status));
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
    if (e instanceof UsageException wrong) {
      int status = usage(e, stdio);
      hint(wrong.hint(), stdio);
      return status;
    }
    if (e instanceof OutputClosedException closed) {
      return closed.tell(stdio);
    }
    if (stdio.debug()) {
      e.printStackTrace(stdio.err());
    }
    stdio.message(FailureMessage.of(e));
    if (e instanceof AtollException failure) {
      hint(advice(failure, stdio), stdio);
      hint(request(failure), stdio);
      return ExitCode.of(failure);
    }
    boolean absent =
        e instanceof UncheckedIOException && e.getCause() instanceof NoSuchFileException;
    return absent ? ExitCode.USAGE : ExitCode.ATOLL_FAILED;
  }

  /** In the words of the command line; a key is no header here. */
  private static @Nullable String advice(AtollException failure, Stdio stdio) {
    if (failure.code() == ErrorCode.UNAUTHENTICATED) {
      return stdio.environment().containsKey("ATOLL_API_KEY")
          ? "the server does not know the key in ATOLL_API_KEY; a server of this machine needs none:"
              + " unset ATOLL_API_KEY and ATOLL_URL"
          : "set ATOLL_API_KEY to a key of the server, which `atoll key create` makes there";
    }
    return failure.hint() == null ? null : OptionNames.translate(failure.hint());
  }

  /** What broke inside the server can be looked up there. */
  private static @Nullable String request(AtollException failure) {
    return failure.code() == ErrorCode.INTERNAL
            && failure instanceof ApiException answer
            && !answer.requestId().isEmpty()
        ? "request " + answer.requestId() + ": logs/server.log of the server has the rest"
        : null;
  }

  private static void hint(@Nullable String text, Stdio stdio) {
    if (text != null) {
      stdio.err().println("       " + text);
    }
  }
}
