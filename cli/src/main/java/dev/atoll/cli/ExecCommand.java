package dev.atoll.cli;

import dev.atoll.model.CommandRequest;
import dev.atoll.model.RunResult;
import dev.atoll.sdk.ApiException;
import dev.atoll.sdk.CommandOptions;
import dev.atoll.sdk.ConnectionException;
import dev.atoll.sdk.RemoteProcess;
import dev.atoll.sdk.RunStream;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a program in a sandbox, connected to this program's streams. */
@Command(
    name = "exec",
    description = "Run a program in a sandbox: atoll exec SANDBOX -- ls -l",
    sortOptions = false)
final class ExecCommand extends ListingCommand {
  /** As long as the SDK tries to find a server again. */
  private static final Duration RECONNECT = Duration.ofSeconds(60);

  @Parameters(index = "0", paramLabel = "SANDBOX", description = "Id or name of the sandbox.")
  String sandbox = "";

  @Parameters(index = "1..*", arity = "1..*", paramLabel = "COMMAND", description = "What to run.")
  List<String> command = new ArrayList<>();

  @Option(
      names = {"-t", "--tty"},
      description = "Give it a terminal.")
  boolean tty;

  @Option(
      names = {"-n", "--no-stdin"},
      description = "Do not pass standard input on.")
  boolean noStdin;

  @Option(
      names = {"-w", "--workdir"},
      paramLabel = "PATH",
      description = "Directory to run in.")
  @Nullable String cwd;

  @Option(
      names = {"-u", "--user"},
      paramLabel = "NAME",
      description = "User to run as.")
  @Nullable String user;

  @Option(
      names = {"-e", "--env"},
      paramLabel = "KEY=VALUE",
      description = "A variable for it.")
  Map<String, String> env = new LinkedHashMap<>();

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "Kill it after that time; exit code 124.")
  @Nullable Duration timeout;

  @Option(
      names = {"-d", "--detach"},
      description = "Print its id and leave it running; see atoll ps, logs and kill.")
  boolean detach;

  @Option(names = "--name", paramLabel = "NAME", description = "A name for it, with --detach.")
  @Nullable String name;

  @Override
  public Integer call() {
    check();
    Sandbox in = atoll().sandboxes().handle(sandbox);
    if (tty) {
      return new TerminalSession(stdio()).run(in, command, this::configure);
    }
    return detach ? detached(in) : attached(in);
  }

  private void check() {
    if (tty && detach) {
      throw new UsageException("give either --tty or --detach");
    }
    if (tty && json()) {
      throw new UsageException("what a terminal shows is no JSON; give either --tty or --output");
    }
    if (name != null && !detach) {
      throw new UsageException("--name is for a program that stays: add --detach");
    }
  }

  private int detached(Sandbox in) {
    RemoteProcess process = in.start(request(null, null));
    if (json()) {
      stdio().json(process.info());
    } else {
      stdio().out().println(process.id());
    }
    return ExitCode.OK;
  }

  /**
   * The first Ctrl-C goes to the program as on a terminal; the next one kills it. It waits for us
   * to read what it prints, and ends when we do, however that happens.
   */
  private int attached(Sandbox in) {
    RemoteProcess process = in.start(request(noStdin ? null : Boolean.TRUE, RECONNECT));
    // At once: a signal that comes before this leaves the program to the server, for a minute.
    try (Interrupts.Guard _ =
        session().interrupts().guard(() -> process.signalTree("SIGINT"), process::kill)) {
      session().interrupts().atTheEnd(() -> process.signalTree("SIGTERM"), process::kill);
      if (!noStdin) {
        Thread feeder = new Thread(() -> feed(process), "atoll-stdin");
        feeder.setDaemon(true);
        feeder.start();
      }
      return follow(process);
    }
  }

  private int follow(RemoteProcess process) {
    try (RunStream run = process.events()) {
      int code = finish(run);
      process.remove();
      return code;
    } catch (OutputClosedException e) {
      process.remove();
      throw e;
    }
  }

  private int finish(RunStream run) {
    if (!json()) {
      SavedImages none = new SavedImages(stdio(), null);
      return new RunPrinter(stdio(), false, none, session().interrupts()::isTerminated).print(run);
    }
    RunResult result = run.result();
    stdio().json(result);
    return RunPrinter.end(result, stdio());
  }

  private void feed(RemoteProcess process) {
    byte[] buffer = new byte[64 << 10];
    try {
      for (int count = stdio().in().read(buffer); count >= 0; count = stdio().in().read(buffer)) {
        process.write(Arrays.copyOf(buffer, count));
      }
      process.closeStdin();
    } catch (ConnectionException e) {
      // Sending the same bytes again could give them to the program twice, and without them it
      // would wait for ever.
      stdio().err().println("atoll: the input broke off: " + e.getMessage());
      process.kill();
    } catch (IOException | ApiException e) {
      // The program has ended without reading everything.
    }
  }

  private void configure(CommandOptions options) {
    env.forEach(options::env);
    if (cwd != null) {
      options.cwd(cwd);
    }
    if (user != null) {
      options.user(user);
    }
    if (timeout != null) {
      options.timeout(timeout);
    }
  }

  private CommandRequest request(@Nullable Boolean openStdin, @Nullable Duration reconnect) {
    return new CommandRequest(
        command,
        null,
        cwd,
        env.isEmpty() ? null : env,
        user,
        null,
        openStdin,
        null,
        SandboxSettings.seconds(timeout),
        null,
        name,
        null,
        SandboxSettings.seconds(reconnect),
        null);
  }
}
