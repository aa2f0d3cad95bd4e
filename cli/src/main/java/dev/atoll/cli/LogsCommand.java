package dev.atoll.cli;

import dev.atoll.model.ProcessInfo;
import dev.atoll.model.RunEvent;
import dev.atoll.sdk.NotFoundException;
import dev.atoll.sdk.RunStream;
import dev.atoll.sdk.Sandbox;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints what a process has written, or a service. */
@Command(
    name = "logs",
    description = {
      "Print what a process of a sandbox has written.",
      "With the name of a service: what its instances have written."
    })
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

  /** What scripts read. */
  record Logs(String id, boolean running, String stdout, String stderr, long cutBytes) {}

  private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
  private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();
  private long cutBytes;

  @Override
  public Integer call() {
    Sandbox in = sandbox();
    ProcessInfo info;
    try {
      info = ProcessChoice.of(in.processes(), process);
    } catch (NotFoundException e) {
      if (process != null || !isService()) {
        throw e;
      }
      new ServiceLogs(this).print(sandbox, ServiceLogs.TAIL, follow);
      return ExitCode.OK;
    }
    boolean nothing = info.outputBytes() == 0 && info.running() && !follow;
    boolean running = nothing || !read(in, info);
    if (cutBytes > 0) {
      stdio().message(cutBytes + " bytes of output left out");
    }
    if (json()) {
      stdio()
          .json(
              new Logs(
                  info.id(),
                  running,
                  stdout.toString(StandardCharsets.UTF_8),
                  stderr.toString(StandardCharsets.UTF_8),
                  cutBytes));
    }
    return ExitCode.OK;
  }

  private boolean isService() {
    return atoll().services().list().stream()
        .anyMatch(one -> one.name().equals(sandbox) || one.id().equals(sandbox));
  }

  /** Reads what was wanted, and tells whether the process has ended. */
  private boolean read(Sandbox in, ProcessInfo info) {
    try (RunStream events = in.attach(info.id(), 0)) {
      for (RunEvent event : events) {
        boolean reached = take(event) >= info.outputBytes();
        if (event instanceof RunEvent.End || (reached && !follow)) {
          break;
        }
      }
    }
    return follow || !info.running();
  }

  /** Takes an event and returns the offset up to which everything was seen. */
  private long take(RunEvent event) {
    if (event instanceof RunEvent.Output output) {
      byte[] bytes = RunStream.bytes(output);
      write(output instanceof RunEvent.Stdout, bytes);
      return output.offset() + bytes.length;
    }
    if (event instanceof RunEvent.Cut cut) {
      cutBytes += cut.bytes();
      return cut.offset() + cut.bytes();
    }
    return -1;
  }

  private void write(boolean standard, byte[] bytes) {
    if (json()) {
      (standard ? stdout : stderr).writeBytes(bytes);
      return;
    }
    PrintStream to = standard ? stdio().out() : stdio().err();
    to.write(bytes, 0, bytes.length);
    if (to.checkError()) {
      throw new OutputClosedException();
    }
  }
}
