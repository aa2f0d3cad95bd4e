package dev.atoll.engine.run;

import com.google.protobuf.ByteString;
import dev.atoll.engine.guest.ChannelHandler;
import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.guest.GuestChannel;
import dev.atoll.engine.run.CodeRun.Asking;
import dev.atoll.model.AtollException;
import dev.atoll.model.ContextInfo;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.InputAnswer;
import dev.atoll.model.MimeBundle;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import dev.atoll.model.RunStatus;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.wire.Answer;
import dev.atoll.protocol.wire.ChannelInfo;
import dev.atoll.protocol.wire.Data;
import dev.atoll.protocol.wire.Execute;
import dev.atoll.protocol.wire.Exit;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Interrupt;
import dev.atoll.protocol.wire.OpenContext;
import dev.atoll.protocol.wire.Result;
import dev.atoll.protocol.wire.Signal;
import dev.atoll.protocol.wire.Stream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A language kernel in a guest, with variables of its own. Executions wait for each other in the
 * order in which they came.
 */
final class CodeContext implements ChannelHandler {
  static final Duration ENDING_PATIENCE = Duration.ofSeconds(30);
  private static final Duration OPEN_DEADLINE = Duration.ofSeconds(90);
  private static final Duration SEND_PATIENCE = Duration.ofSeconds(30);
  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final Duration CLEARING_GRACE = Duration.ofSeconds(5);
  private static final Duration TURN_PATIENCE = Duration.ofHours(1);
  private static final String SEPARATOR = "\u001f";

  private final String name;
  private final String language;
  private final Guest guest;
  private final Deadlines deadlines;
  private final Semaphore turn = new Semaphore(1, true);
  private final CompletableFuture<Integer> pid = new CompletableFuture<>();
  private final ResultParts bundle;
  private final @Nullable ChosenIds ids;

  private volatile @Nullable GuestChannel channel;
  private volatile @Nullable CodeRun current;

  /** The run that is done and waits until what it started has ended. */
  private volatile @Nullable CodeRun clearing;

  private volatile boolean dead;

  /** The limit that the kernel died of between two runs, until a run has told it. */
  private volatile @Nullable RunStatus untold;

  private volatile boolean concealed;

  /** Whether the kernel can ask questions; one from before there were any cannot. */
  private volatile boolean asks;

  private long lastExecution;

  /** Told of runs that are found in retained frames; null when there are none to come. */
  private volatile @Nullable Consumer<CodeRun> past;

  private long pastMaxOutput;
  private volatile @Nullable CodeRun replayed;

  private CodeContext(
      String name, String language, Guest guest, Deadlines deadlines, @Nullable ChosenIds ids) {
    this.name = name;
    this.ids = ids;
    this.language = language;
    this.guest = guest;
    this.bundle = new ResultParts(guest.memory());
    this.deadlines = deadlines;
  }

  static CodeContext open(
      String name,
      String language,
      @Nullable String cwd,
      Map<String, String> env,
      Guest guest,
      Deadlines deadlines,
      @Nullable ChosenIds ids) {
    CodeContext context = new CodeContext(name, language, guest, deadlines, ids);
    OpenContext.Builder opening =
        OpenContext.newBuilder()
            .setLanguage(language)
            .setTag(name + SEPARATOR + language)
            .addAllEnv(Guest.variables(env));
    if (cwd != null) {
      opening.setCwd(cwd);
    }
    guest.awaitEndings(ENDING_PATIENCE);
    context.channel = guest.open(Frame.newBuilder().setOpenContext(opening), context);
    try {
      context.pid.get(OPEN_DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
      return context;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AtollException known) {
        throw known;
      }
      throw new AtollException(ErrorCode.SANDBOX_FAILED, "the context could not be opened");
    } catch (TimeoutException e) {
      context.close();
      throw new AtollException(ErrorCode.TIMEOUT, "the kernel did not start in time");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      context.close();
      throw new AtollException(ErrorCode.SHUTTING_DOWN, "interrupted while opening a context");
    }
  }

  /** Takes over a context that an earlier server opened, with the execution that is under way. */
  static @Nullable CodeContext adopt(
      ChannelInfo info,
      GuestChannel channel,
      Guest guest,
      Deadlines deadlines,
      long maxOutput,
      @Nullable ChosenIds ids,
      Consumer<CodeRun> past) {
    String[] parts = info.getTag().split(SEPARATOR, -1);
    if (parts.length != 2) {
      return null;
    }
    CodeContext context = new CodeContext(parts[0], parts[1], guest, deadlines, ids);
    context.channel = channel;
    context.past = past;
    context.pastMaxOutput = maxOutput;
    context.pid.complete(info.getPid());
    context.lastExecution = info.getExecution();
    context.asks = info.getAsks();
    if (info.hasExit()) {
      context.dead = true;
      context.untold = untold(info.getExit());
    } else if (info.getExecution() != 0) {
      context.turn.tryAcquire();
      Execution execution = new Execution(info.getExecution());
      context.begin(
          execution,
          channel,
          maxOutput,
          null,
          context.earlierId(channel, execution),
          context.whoever());
    }
    return context;
  }

  /** The id that the caller of an earlier server's execution chose. */
  private @Nullable String earlierId(GuestChannel open, Execution execution) {
    return ids == null ? null : ids.find(open.id(), execution);
  }

  private void note(GuestChannel open, Execution execution, @Nullable String chosenId) {
    if (ids != null && chosenId != null) {
      ids.note(open.id(), execution, chosenId);
    }
  }

  String name() {
    return name;
  }

  String language() {
    return language;
  }

  int pid() {
    return pid.getNow(0);
  }

  boolean isDead() {
    return dead;
  }

  /** Whether code here can ask questions. */
  boolean asks() {
    return asks;
  }

  private Asking whoever() {
    return asks ? Asking.WHOEVER_COMES : Asking.NOBODY;
  }

  /** Whether it was opened ahead of time and nobody has asked for it yet. */
  boolean isConcealed() {
    return concealed;
  }

  void conceal(boolean hidden) {
    concealed = hidden;
  }

  @Nullable CodeRun current() {
    return current;
  }

  ContextInfo info() {
    return new ContextInfo(name, language, pid(), current != null, !dead);
  }

  /** Starts an execution when all that were asked for before it are over. */
  CodeRun execute(
      String code,
      Map<String, String> env,
      Duration timeout,
      long maxOutput,
      @Nullable Duration reconnect,
      @Nullable String chosenId,
      boolean queues,
      Asking asking,
      Ticket ticket) {
    awaitTurn(queues ? TURN_PATIENCE : Duration.ZERO, ticket);
    return begin(code, env, timeout, maxOutput, reconnect, chosenId, asking);
  }

  /**
   * Runs code of Atoll's own. It is asked to stop when its time is up, but for its sake the kernel
   * is never killed.
   */
  RunResult inspect(String code, Duration patience, Duration timeout, long maxOutput) {
    awaitTurn(patience, new Ticket());
    CodeRun run = begin(code, Map.of(), timeout.plus(GRACE), maxOutput, null, null, Asking.NOBODY);
    try {
      return inspect(run, timeout);
    } finally {
      run.log().discard();
    }
  }

  private RunResult inspect(CodeRun run, Duration timeout) {
    if (!run.await(timeout)) {
      GuestChannel open = channel;
      if (open != null) {
        open.send(Frame.newBuilder().setInterrupt(Interrupt.getDefaultInstance()));
      }
      if (!run.await(GRACE)) {
        throw new AtollException(
            ErrorCode.TIMEOUT,
            "context " + name + " did not answer within " + timeout.toSeconds() + " s");
      }
    }
    return run.result();
  }

  private void awaitTurn(Duration patience, Ticket ticket) {
    if (!ticket.await(turn, patience)) {
      throw new AtollException(
          ErrorCode.BUSY,
          "context " + name + " is busy",
          "wait for the run in it to end, or interrupt it, and try again");
    }
  }

  private CodeRun begin(
      String code,
      Map<String, String> env,
      Duration timeout,
      long maxOutput,
      @Nullable Duration reconnect,
      @Nullable String chosenId,
      Asking asking) {
    GuestChannel open = channel;
    if (dead || open == null) {
      turn.release();
      throw new AtollException(ErrorCode.CONFLICT, "context " + name + " has ended", "try again");
    }
    Execution execution = Execution.next(Instant.now(), timeout, lastExecution);
    lastExecution = execution.number();
    CodeRun run = begin(execution, open, maxOutput, reconnect, chosenId, asking);
    try {
      note(open, execution, chosenId);
      send(open, execution, code, env, run.asks());
    } catch (AtollException e) {
      run.sandboxDied(String.valueOf(e.getMessage()));
      end(run);
      throw e;
    }
    return run;
  }

  private CodeRun begin(
      Execution execution,
      GuestChannel open,
      long maxOutput,
      @Nullable Duration reconnect,
      @Nullable String chosenId,
      Asking asking) {
    String id = chosenId == null ? execution.runId(open.id()) : chosenId;
    CodeRun run = new CodeRun(this, execution, id, maxOutput, guest.memory(), reconnect, asking);
    run.log().event(new RunEvent.Started(run.id(), pid()));
    current = run;
    return run;
  }

  private static void send(
      GuestChannel open,
      Execution execution,
      String code,
      Map<String, String> env,
      boolean answers) {
    byte[] bytes = code.getBytes(StandardCharsets.UTF_8);
    int sent = 0;
    do {
      int size = Math.min(FrameCodec.MAX_DATA / 2, bytes.length - sent);
      boolean last = sent + size == bytes.length;
      Execute.Builder execute =
          Execute.newBuilder()
              .setExecution(execution.number())
              .setChunk(ByteString.copyFrom(bytes, sent, size))
              .setLast(last);
      if (last) {
        execute.addAllEnv(Guest.variables(env)).setAnswers(answers);
      }
      open.sendMetered(Frame.newBuilder().setExecute(execute), SEND_PATIENCE);
      sent += size;
    } while (sent < bytes.length);
  }

  @Override
  public void frame(Frame frame) {
    switch (frame.getBodyCase()) {
      case STARTED -> {
        asks = frame.getStarted().getAsks();
        pid.complete(frame.getStarted().getPid());
      }
      case FAILED -> failedToOpen(frame);
      case DATA -> output(frame.getData());
      case RESULT -> result(frame.getResult());
      case DONE -> {
        CodeRun run = runOf(frame.getDone().getExecution());
        if (run != null) {
          done(run, frame.getDone().getReason());
        }
      }
      case EXIT -> died(frame.getExit());
      default -> {}
    }
  }

  /**
   * The kernel is done with an execution. When it was stopped, all that it has started is to be
   * gone before its end is told: the guest promises another frame for that, and a kernel whose
   * children cannot be ended in time ends with them.
   */
  private void done(CodeRun run, Exit.Reason reason) {
    boolean promised = reason == Exit.Reason.TIME;
    RunStatus limit = promised ? null : ProcessEnd.limit(reason);
    if (clearing != run) {
      killLeftovers(run, limit);
    }
    if (promised && current == run && run.stopping() != null) {
      clearing = run;
      killAfter(CLEARING_GRACE, run, () -> true);
      return;
    }
    clearing = null;
    run.done(limit);
    end(run);
  }

  /**
   * The run that a frame belongs to. While retained frames are replayed it may be one that ended
   * when no server was there to see it; such a one is made up from them.
   */
  private @Nullable CodeRun runOf(long execution) {
    CodeRun run = current;
    if (run != null && run.execution().number() == execution) {
      return run;
    }
    Consumer<CodeRun> found = past;
    GuestChannel open = channel;
    if (found == null || open == null || execution == 0) {
      return null;
    }
    CodeRun old = replayed;
    if (old == null || old.execution().number() != execution) {
      unseen(old);
      Execution number = new Execution(execution);
      String chosen = earlierId(open, number);
      String id = chosen == null ? number.runId(open.id()) : chosen;
      old = new CodeRun(this, number, id, pastMaxOutput, guest.memory(), null, whoever());
      old.log().event(new RunEvent.Started(old.id(), pid()));
      replayed = old;
      found.accept(old);
    }
    return old;
  }

  /** All retained frames have been replayed; what belongs to no run from now on is dropped. */
  void settle() {
    past = null;
    CodeRun old = replayed;
    replayed = null;
    unseen(old);
  }

  private static void unseen(@Nullable CodeRun old) {
    if (old != null && !old.isEnded()) {
      old.sandboxDied("its end was not seen");
    }
  }

  private void failedToOpen(Frame frame) {
    if (pid.isDone()) {
      return;
    }
    dead = true;
    pid.completeExceptionally(GuestFailure.ofProgram(frame.getFailed(), "context " + name));
    GuestChannel open = channel;
    if (open != null) {
      guest.forget(open);
    }
  }

  private void output(Data data) {
    CodeRun run = runOf(data.getExecution());
    boolean room = true;
    // Output between executions, of threads that were left running, belongs to nobody.
    if (run != null) {
      room =
          run.log()
              .output(
                  data.getStream() == Stream.STDERR,
                  data.getOffset(),
                  data.getBytes().toByteArray());
    }
    if (room) {
      room();
    }
  }

  void room() {
    GuestChannel open = channel;
    if (open != null) {
      open.grant();
    }
  }

  private void result(Result part) {
    room();
    CodeRun run = runOf(part.getExecution());
    if (run == null) {
      bundle.drop();
      return;
    }
    bundle.add(part.getChunk());
    if (!part.getLast()) {
      return;
    }
    byte[] json = bundle.take();
    switch (part.getKind()) {
      case RESULT -> {
        MimeBundle value = BundleReader.read(json);
        RunEvent instead = new RunEvent.Result(BundleReader.leftOut(value));
        run.log().result(new RunEvent.Result(value), instead, json.length);
      }
      case DISPLAY -> {
        RunEvent.Display shown = MarkedDisplay.read(BundleReader.read(json));
        RunEvent instead = shown.with(BundleReader.leftOut(shown.data()));
        run.log().result(shown, instead, json.length);
      }
      case ERROR -> run.failed(KernelError.parse(json));
      case QUESTION -> run.question(json);
      case KIND_UNSPECIFIED, UNRECOGNIZED -> {}
    }
  }

  private synchronized void end(CodeRun run) {
    if (current == run) {
      current = null;
      turn.release();
    }
  }

  private static @Nullable RunStatus untold(Exit exit) {
    return ProcessEnd.limit(exit.getReason()) == RunStatus.DISK_LIMIT ? RunStatus.DISK_LIMIT : null;
  }

  /** Whether the kernel died with nobody there to be told why. */
  boolean hasUntoldEnd() {
    return untold != null;
  }

  /**
   * A run that tells how the kernel ended before it, and does nothing else; null when there is
   * nothing to tell, or another one has told it.
   */
  synchronized @Nullable CodeRun tellEnd(Duration timeout, long maxOutput) {
    RunStatus limit = untold;
    GuestChannel old = channel;
    if (limit == null || old == null) {
      return null;
    }
    untold = null;
    Execution execution = Execution.next(Instant.now(), timeout, lastExecution);
    lastExecution = execution.number();
    String id = execution.runId(old.id());
    CodeRun run = new CodeRun(this, execution, id, maxOutput, guest.memory(), null, Asking.NOBODY);
    run.log().event(new RunEvent.Started(run.id(), pid()));
    run.kernelHadDied(limit);
    return run;
  }

  private void died(Exit exit) {
    CodeRun run = current;
    if (run == null) {
      untold = untold(exit);
    }
    dead = true;
    bundle.drop();
    if (run != null) {
      run.kernelDied(ProcessEnd.of(exit, run.stopping()));
      end(run);
    }
    GuestChannel open = channel;
    if (open != null) {
      open.close();
    }
  }

  @Override
  public void lost(String reason) {
    dead = true;
    bundle.drop();
    pid.completeExceptionally(
        new AtollException(ErrorCode.SANDBOX_FAILED, "the sandbox has ended: " + reason));
    CodeRun run = current;
    if (run != null) {
      run.sandboxDied(reason);
      end(run);
    }
  }

  /** Passes an answer on; false when the execution is over. */
  boolean answer(CodeRun run, int question, InputAnswer answer) {
    GuestChannel open = channel;
    if (open == null || dead || current != run) {
      return false;
    }
    String text = answer.text();
    Answer.Builder frame =
        Answer.newBuilder()
            .setExecution(run.execution().number())
            .setNumber(question)
            .setEnd(text == null)
            .setText(text == null ? ByteString.EMPTY : ByteString.copyFromUtf8(text));
    open.sendMetered(Frame.newBuilder().setAnswer(frame), SEND_PATIENCE);
    return true;
  }

  /** Interrupts the execution under way, if there is one. */
  void interrupt() {
    CodeRun run = current;
    if (run != null) {
      stop(run, RunStatus.INTERRUPTED);
    }
  }

  /**
   * Interrupts an execution and the processes it started; a kernel that does not obey is killed.
   */
  void stop(CodeRun run, RunStatus reason) {
    GuestChannel open = channel;
    if (open == null || current != run || !run.stopping(reason)) {
      return;
    }
    open.send(Frame.newBuilder().setInterrupt(Interrupt.getDefaultInstance()));
    killAfter(GRACE, run, () -> clearing != run);
  }

  private void killAfter(Duration grace, CodeRun run, BooleanSupplier still) {
    deadlines.after(
        grace,
        "kill-kernel",
        () -> {
          if (current == run && still.getAsBoolean()) {
            kill(run);
          }
        });
  }

  /**
   * What a stopped execution started must not outlive it, whether or not it heeded the interrupt;
   * nor what one has started that left no process to others.
   */
  private void killLeftovers(CodeRun run, @Nullable RunStatus limit) {
    GuestChannel open = channel;
    boolean ends = run.stopping() != null || run.limitMet(limit) == RunStatus.PROCESS_LIMIT;
    if (ends && open != null) {
      open.send(
          Frame.newBuilder().setSignal(Signal.newBuilder().setNumber(Signals.KILL).setTree(true)));
    }
  }

  private void kill(CodeRun run) {
    dead = true;
    close();
    RunStatus reason = run.stopping();
    run.finish(
        reason == null ? RunStatus.KILLED : reason,
        reason == RunStatus.TIMEOUT ? 124 : 130,
        "SIGKILL",
        null,
        null,
        "the kernel, or what it had started, did not end at the interrupt and was killed; the "
            + "variables of the context are lost, the next run starts a new one");
    end(run);
  }

  /** Ends the kernel and everything it started. */
  void close() {
    dead = true;
    GuestChannel open = channel;
    if (open != null) {
      open.end();
    }
    CodeRun run = current;
    if (run != null && run.stopping() == null) {
      run.finish(
          RunStatus.KILLED, 137, "SIGKILL", null, null, "its context was restarted or deleted");
      end(run);
    }
  }
}
