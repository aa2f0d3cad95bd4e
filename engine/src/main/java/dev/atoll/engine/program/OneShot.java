package dev.atoll.engine.program;

import dev.atoll.engine.Run;
import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.engine.run.Bounds;
import dev.atoll.model.AtollException;
import dev.atoll.model.Compilation;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.ExecuteRequest;
import dev.atoll.model.ExecuteResult;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunStatus;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A program in a sandbox of its own. Closing it ends the sandbox, and with it the program if that
 * still runs; any thread may do so.
 */
public final class OneShot implements AutoCloseable {
  private static final int CANNOT_START = 127;
  private static final int CANNOT_RUN = 125;

  private final OwnSandbox sandbox;
  private final Workplace workplace;
  private final ExecuteRequest request;
  private final Duration compileTimeout;
  private final Duration timeout;
  private final long maxOutput;

  OneShot(
      OwnSandbox sandbox,
      Workplace workplace,
      ExecuteRequest request,
      Duration compileTimeout,
      Duration timeout,
      long maxOutput) {
    this.sandbox = sandbox;
    this.workplace = workplace;
    this.request = request;
    this.compileTimeout = compileTimeout;
    this.timeout = timeout;
    this.maxOutput = maxOutput;
  }

  /** Compiles and runs it; the last event is its end. Once only. */
  public void execute(Consumer<RunEvent> listener) {
    try {
      Compilation compilation = workplace.compile(compileTimeout, Map.of());
      if (compilation != null) {
        listener.accept(new RunEvent.Compiled(compilation));
      }
      if (compilation != null && !compilation.ok()) {
        listener.accept(
            end(RunStatus.COMPILATION_ERROR, compilation.exitCode(), compilation.message()));
        return;
      }
      RunEvent.End _ = start().follow(listener);
    } catch (AtollException e) {
      boolean absent = e.code() == ErrorCode.COMMAND_NOT_FOUND;
      listener.accept(
          end(
              absent ? RunStatus.ERROR : RunStatus.SANDBOX_DIED,
              absent ? CANNOT_START : CANNOT_RUN,
              e.getMessage()));
    }
  }

  /**
   * Compiles and runs it, and gives the whole.
   *
   * @param memory pays for it until the caller gives that back
   */
  public ExecuteResult execute(BudgetAccount memory) {
    Collector collector = new Collector(maxOutput, memory);
    execute(collector::add);
    return collector.result();
  }

  private Run start() {
    List<String> arguments = request.args();
    Map<String, String> env = request.env();
    return workplace.run(
        arguments == null ? List.of() : arguments,
        env == null ? Map.of() : env,
        request.stdin(),
        new Bounds(Duration.ZERO, timeout, 0, 0),
        maxOutput);
  }

  private static RunEvent.End end(RunStatus status, int exitCode, @Nullable String message) {
    return new RunEvent.End(status, exitCode, null, 0, null, null, 0, message);
  }

  @Override
  public void close() {
    sandbox.close();
  }

  /** Gathers events into a result. */
  private static final class Collector {
    private final Output output;
    private @Nullable Compilation compilation;
    private RunEvent.@Nullable End end;

    Collector(long maxOutput, BudgetAccount memory) {
      output = new Output(maxOutput, false, memory);
    }

    void add(RunEvent event) {
      output.add(event);
      if (event instanceof RunEvent.Compiled compiled) {
        compilation = compiled.compilation();
      } else if (event instanceof RunEvent.End last) {
        end = last;
      }
    }

    ExecuteResult result() {
      if (end == null) {
        throw new IllegalStateException("a run without an end");
      }
      return new ExecuteResult(
          end.status(),
          end.exitCode(),
          end.signal(),
          new String(output.stdout(), StandardCharsets.UTF_8),
          new String(output.stderr(), StandardCharsets.UTF_8),
          compilation,
          output.cutBytes(),
          end.durationMillis(),
          end.cpuMillis(),
          end.maxRssBytes(),
          end.message());
    }
  }
}
