package dev.atoll.server.http;

import dev.atoll.engine.Run;
import dev.atoll.engine.RunEvents;
import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.model.InputAnswer;
import dev.atoll.model.MimeBundle;
import dev.atoll.model.ProcessInfo;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import dev.atoll.model.RunStatus;
import dev.atoll.model.TerminalSize;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A run whose events a test makes up. */
final class FakeRun implements Run {
  static final RunEvent.End END = new RunEvent.End(RunStatus.OK, 0, null, 3, null, null, 6, null);

  final BlockingQueue<RunEvent> queue = new LinkedBlockingQueue<>();
  private final BlockingQueue<RunEvent> duringAwait = new LinkedBlockingQueue<>();
  final BlockingQueue<TerminalSize> sizes = new LinkedBlockingQueue<>();
  final ByteArrayOutputStream stdin = new ByteArrayOutputStream();
  volatile boolean eventsClosed;
  volatile boolean abandoned;
  volatile boolean neverEnds;

  FakeRun with(RunEvent... events) {
    queue.addAll(List.of(events));
    return this;
  }

  @Override
  public String id() {
    return "run_1";
  }

  @Override
  public ProcessInfo info() {
    return new ProcessInfo(id(), 7, null, List.of("cat"), true, false, Instant.EPOCH, 0, END);
  }

  @Override
  public RunEvents events(long from) {
    return new Events();
  }

  @Override
  public RunEvents hold(long from) {
    return new Events();
  }

  @Override
  public void answer(InputAnswer answer) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void abandon() {
    abandoned = true;
  }

  @Override
  public RunResult result(BudgetAccount memory) {
    return result();
  }

  @Override
  public @Nullable RunResult result(BudgetAccount memory, BooleanSupplier unwanted) {
    while (neverEnds) {
      if (unwanted.getAsBoolean()) {
        return null;
      }
      LockSupport.parkNanos(1_000_000);
    }
    return result();
  }

  @Override
  public RunResult result() {
    return new RunResult(
        id(),
        RunStatus.OK,
        0,
        null,
        "",
        "",
        MimeBundle.ofText("42"),
        List.of(),
        null,
        0,
        3,
        null,
        null,
        null);
  }

  @Override
  public void writeStdin(byte[] bytes, int offset, int length) {
    synchronized (stdin) {
      stdin.write(bytes, offset, length);
    }
    queue.add(
        new RunEvent.Stdout(0, new String(bytes, offset, length, StandardCharsets.UTF_8), null));
  }

  @Override
  public void closeStdin() {
    queue.add(END);
  }

  @Override
  public void signal(int number, boolean tree) {}

  @Override
  public void resize(TerminalSize size) {
    sizes.add(size);
  }

  @Override
  public void cancel() {}

  @Override
  public boolean await(Duration timeout) {
    queue.addAll(duringAwait);
    return true;
  }

  /** Events that happen while somebody waits for the end. */
  FakeRun duringAwait(RunEvent... events) {
    duringAwait.addAll(List.of(events));
    return this;
  }

  private final class Events implements RunEvents {
    private boolean ended;

    @Override
    public @Nullable RunEvent next(Duration wait) {
      try {
        RunEvent event = queue.poll(wait.toNanos(), TimeUnit.NANOSECONDS);
        ended = ended || event instanceof RunEvent.End;
        return event;
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public boolean ended() {
      return ended;
    }

    @Override
    public void close() {
      eventsClosed = true;
    }
  }
}
