package dev.atoll.cli;

import dev.atoll.model.ProcessInfo;
import dev.atoll.model.RunEvent;
import dev.atoll.sdk.RunStream;
import dev.atoll.sdk.Sandbox;
import java.io.PrintStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints what a process has written. */
@Command(name = "logs", description = "Print what a process has written.")
final class LogsCommand extends SandboxCommand {
  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "PROCESS",
      description = "Its id, name or pid; the latest by default.")
  @Nullable String process;

  @Option(
      names = {"-f", "--follow"},
      description = "Go on until it ends.")
  boolean follow;

  @Override
  public Integer call() {
    Sandbox in = sandbox();
    ProcessInfo info = ProcessChoice.of(in.processes(), process);
    if (info.outputBytes() == 0 && info.running() && !follow) {
      return ExitCode.OK;
    }
    try (RunStream events = in.attach(info.id(), 0)) {
      for (RunEvent event : events) {
        boolean reached = print(event) >= info.outputBytes();
        if (reached && !follow) {
          break;
        }
      }
    }
    return ExitCode.OK;
  }

  /** Prints an event and returns the offset up to which everything was seen. */
  private long print(RunEvent event) {
    if (event instanceof RunEvent.Output output) {
      byte[] bytes = RunStream.bytes(output);
      PrintStream to = output instanceof RunEvent.Stdout ? stdio().out() : stdio().err();
      to.write(bytes, 0, bytes.length);
      to.flush();
      return output.offset() + bytes.length;
    }
    if (event instanceof RunEvent.Cut cut) {
      stdio().message(cut.bytes() + " bytes of output left out");
      return cut.offset() + cut.bytes();
    }
    return -1;
  }
}
