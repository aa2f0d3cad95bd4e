package dev.atoll.engine.run;

import dev.atoll.engine.Run;
import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.engine.guest.ChannelHandler;
import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.guest.GuestChannel;
import dev.atoll.engine.packages.Installation;
import dev.atoll.model.AtollException;
import dev.atoll.model.CommandRequest;
import dev.atoll.model.ContextInfo;
import dev.atoll.model.ContextSpec;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Installer;
import dev.atoll.model.Language;
import dev.atoll.model.PackagesRequest;
import dev.atoll.model.ProcessInfo;
import dev.atoll.model.RunCodeRequest;
import dev.atoll.model.RunResult;
import dev.atoll.model.TerminalSize;
import dev.atoll.model.WhenBusy;
import dev.atoll.protocol.wire.ChannelInfo;
import dev.atoll.protocol.wire.Resize;
import dev.atoll.protocol.wire.Start;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** All that runs in one sandbox. Thread-safe. */
public final class Runs {
  private static final String DEFAULT_CONTEXT = "default";
  private static final String PYTHON = Language.PYTHON.name();
  private static final int MAX_CONTEXTS = 32;
  private static final Duration TICK = Duration.ofSeconds(1);
  private static final int MAX_NOTE = 80;

  /** What a run takes besides its output. */
  private static final int RUN_COST = (4 << 10) + RunLog.PREPAID;

  private static final String COUNT_THREADS = "print(__import__('threading').active_count())";
  private static final String WARM_UP = HiddenCode.read(Runs.class, "warm_up.py").with("None");
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Guest guest;
  private final Deadlines deadlines;
  private final RunSettings settings;
  private final String defaultLanguage;
  private final @Nullable RunFiles files;
  private final Map<String, RunRecord> runs = new ConcurrentHashMap<>();

  /** By ids that their callers chose, of runs that are not there yet. */
  private final Map<String, Ticket> beginning = new ConcurrentHashMap<>();

  private final Map<String, CodeContext> contexts = new ConcurrentHashMap<>();
  private final Deadlines.Alarm ticker;
  private volatile EndListener listener = (run, note) -> {};

  /**
   * Looks after a guest.
   *
   * @param defaultLanguage of code that names none
   */
  public Runs(Guest guest, Deadlines deadlines, RunSettings settings, String defaultLanguage) {
    this(guest, deadlines, settings, defaultLanguage, null);
  }

  /**
   * The same for a guest whose ended runs are looked at later.
   *
   * @param files to which their output goes; null: it stays in memory
   */
  public Runs(
      Guest guest,
      Deadlines deadlines,
      RunSettings settings,
      String defaultLanguage,
      @Nullable RunFiles files) {
    this.files = files;
    this.guest = guest;
    this.deadlines = deadlines;
    this.settings = settings;
    this.defaultLanguage = defaultLanguage;
    this.ticker = deadlines.every(TICK, "runs-tick", this::tick);
  }

  /**
   * Onlookers that stopped reading must not hold the guest back for ever; runs whose callers have
   * gone end, and ended runs are dropped in time.
   */
  private void tick() {
    runs.values().stream()
        .filter(run -> !run.isEnded())
        .forEach(run -> run.log().roomMayHaveCome());
    runs.values().forEach(RunRecord::endIfForsaken);
    runs.values().stream()
        .filter(run -> run.isStale(settings.keepEnded()) && !isBackground(run))
        .forEach(this::drop);
    runs.values().forEach(this::store);
  }

  /** Brings the output of a run that has ended to disk, if it takes memory that matters. */
  private void store(RunRecord run) {
    RunFiles target = files;
    if (target != null && run.log().isToBeStored()) {
      Thread.ofVirtual().name("store-" + run.id()).start(() -> run.log().store(target));
    }
  }

  private void drop(RunRecord run) {
    if (runs.remove(run.id(), run)) {
      guest.memory().give(run.unpay());
      run.log().discard();
    }
  }

  /** Pays for a run before it begins; those that have ended make room for it. */
  private void admit(int cost) {
    while (!guest.memory().take(cost)) {
      RunRecord oldest = oldestEnded();
      if (oldest == null) {
        throw BudgetAccount.full("another run");
      }
      forget(oldest);
    }
  }

  private @Nullable RunRecord oldestEnded() {
    return runs.values().stream()
        .filter(RunRecord::isEnded)
        .min(Comparator.comparing(RunRecord::startedAt))
        .orElse(null);
  }

  /** Starts a run that is paid for. */
  private <T extends RunRecord> T admitted(int cost, Supplier<T> starting) {
    admit(cost);
    boolean done = false;
    try {
      T run = starting.get();
      run.pay(cost);
      done = true;
      return run;
    } finally {
      if (!done) {
        guest.memory().give(cost);
      }
    }
  }

  /** What it may ask was paid with it, and is needed no more when it has ended. */
  private void repayQuestions(CodeRun run) {
    if (run.asks()) {
      run.onEnd(() -> guest.memory().give(run.unpay(Questions.COST)));
    }
  }

  /** Takes in a run of an earlier server, which is there whether it can be paid for or not. */
  private void keep(RunRecord run) {
    boolean asks = run instanceof CodeRun code && code.asks();
    int cost = asks ? RUN_COST + Questions.COST : RUN_COST;
    if (guest.memory().take(cost)) {
      run.pay(cost);
    }
    if (run instanceof CodeRun code) {
      repayQuestions(code);
    }
    remember(run);
  }

  /** Says which project pays for what is kept. */
  public void belongTo(String project) {
    if (files != null) {
      files.belongTo(project);
    }
  }

  private static boolean isBackground(RunRecord run) {
    return run instanceof ProcessRun process && process.isBackground();
  }

  /** Stops looking after the runs; they themselves are not touched. */
  public void close() {
    ticker.cancel();
    runs.values().forEach(this::drop);
    if (files != null) {
      files.close();
    }
  }

  /** Makes the handler of a channel that an earlier server opened. */
  public @Nullable ChannelHandler adopt(ChannelInfo info, GuestChannel channel) {
    return adopt(info, channel, false);
  }

  /**
   * The same in a machine that was restored, as for a fork. Nobody follows what runs in it, so none
   * of that is to end because nobody does.
   */
  public @Nullable ChannelHandler adoptCopy(ChannelInfo info, GuestChannel channel) {
    return adopt(info, channel, true);
  }

  private @Nullable ChannelHandler adopt(ChannelInfo info, GuestChannel channel, boolean copy) {
    return switch (info.getKind()) {
      case PROCESS -> {
        ProcessTag tag = ProcessTag.decode(info.getTag());
        if (tag == null) {
          yield null;
        }
        ProcessRun run = ProcessRun.adopt(guest, copy ? tag.untied() : tag, info, channel);
        keep(run);
        yield run;
      }
      case CONTEXT -> {
        CodeContext context =
            CodeContext.adopt(
                info, channel, guest, deadlines, settings.maxOutputBytes(), ids(), this::keep);
        if (context == null || (context.isDead() && !context.hasUntoldEnd())) {
          yield null;
        }
        contexts.put(context.name(), context);
        if (context.isDead()) {
          yield null;
        }
        CodeRun run = context.current();
        if (run != null) {
          keep(run);
        }
        yield context;
      }
      case OTHER, UNRECOGNIZED -> null;
    };
  }

  /** After {@link #adopt} and the retained frames: takes up the clocks of what still runs. */
  public void adopted() {
    contexts.values().forEach(CodeContext::settle);
    ChosenIds chosen = ids();
    if (chosen != null) {
      chosen.forgetEarlier();
    }
    for (RunRecord run : List.copyOf(runs.values())) {
      if (run instanceof ProcessRun process) {
        process.settle();
        if (!process.isEnded() && process.deadlineMillis() > 0) {
          watch(process, Instant.ofEpochMilli(process.deadlineMillis()), process::timeOut);
        }
      } else if (run instanceof CodeRun code && !code.isEnded()) {
        watchCode(code);
      }
    }
  }

  private @Nullable ChosenIds ids() {
    return files == null ? null : files.ids();
  }

  /** Whether code or a command is running; background processes do not count. */
  public boolean isBusy() {
    return runs.values().stream().anyMatch(run -> !run.isEnded() && !isBackground(run));
  }

  // Code.

  /** Told of every run that ends, except for background processes; must not block. */
  public interface EndListener {
    void ended(String run, String note);
  }

  public void onEnd(EndListener newListener) {
    listener = newListener;
  }

  /**
   * Whether nothing works in the guest by itself: no program runs, and no kernel has threads beside
   * the one that waits for code.
   */
  public boolean isQuiet(Duration deadline) {
    boolean programs = runs.values().stream().anyMatch(run -> !run.isEnded());
    return !programs
        && contexts.values().stream()
            .filter(context -> !context.isDead())
            .allMatch(context -> isQuiet(context, deadline));
  }

  /**
   * Makes the first run of whoever comes as fast as any other: opens the context that he will most
   * likely use, unseen until then, and lets each kernel run once.
   */
  public void prepare(Duration deadline) {
    try {
      if (contexts.isEmpty()) {
        context(DEFAULT_CONTEXT, null, null, Map.of()).conceal(true);
      }
      for (CodeContext context : contexts.values()) {
        if (!context.isDead()) {
          RunResult _ = context.inspect(warmUp(context.language()), Duration.ZERO, deadline, 0);
        }
      }
    } catch (AtollException e) {
      // No such kernel, or one that is busy: the first run takes its time.
    }
  }

  /** Code that changes nothing, but goes the whole way; in Python it has memory mapped, too. */
  private static String warmUp(String language) {
    return language.equals(PYTHON) ? WARM_UP : "";
  }

  private static boolean isQuiet(CodeContext context, Duration deadline) {
    if (context.current() != null || !context.language().equals(PYTHON)) {
      return false;
    }
    // Prints instead of giving a value, which would change `_`.
    try {
      return context
          .inspect(COUNT_THREADS, Duration.ZERO, deadline, 1024)
          .stdout()
          .strip()
          .equals("1");
    } catch (AtollException e) {
      return false;
    }
  }

  public Run runCode(RunCodeRequest request, Map<String, String> env) {
    return runCode(request, env, new Ticket());
  }

  /**
   * Runs code when it is its turn.
   *
   * @param ticket by which the caller can give up while he waits for that
   */
  public Run runCode(RunCodeRequest request, Map<String, String> env, Ticket ticket) {
    return once(request.id(), ticket, () -> begin(request, env, ticket));
  }

  /**
   * The run of that id, if the caller chose one: one that is there, one that somebody else is about
   * to begin, or a new one.
   */
  private Run once(@Nullable String id, Ticket ticket, Supplier<Run> starting) {
    Ticket other = id == null ? null : beginning.putIfAbsent(id, ticket);
    if (other != null) {
      return other.awaitOther();
    }
    try {
      Run there = id == null ? null : runs.get(id);
      Run run = there == null ? starting.get() : there;
      ticket.began(run);
      return run;
    } catch (RuntimeException e) {
      ticket.failed(e);
      throw e;
    } finally {
      if (id != null) {
        beginning.remove(id, ticket);
      }
    }
  }

  /** Cancels a run, or its place in the queue. */
  public void cancel(String id) {
    Ticket waiting = beginning.get(id);
    if (waiting == null || !waiting.cancel()) {
      record(id).cancel();
    }
  }

  private Run begin(RunCodeRequest request, Map<String, String> env, Ticket ticket) {
    Duration timeout = timeout(request.timeoutSeconds());
    long maxOutput =
        request.maxOutputBytes() == null ? settings.maxOutputBytes() : request.maxOutputBytes();
    CodeContext before = contexts.get(contextOf(request));
    CodeRun told = before == null ? null : before.tellEnd(timeout, maxOutput);
    if (told != null) {
      keep(told);
      return told;
    }
    CodeContext context = context(contextOf(request), request.language(), null, env);
    boolean answers = Boolean.TRUE.equals(request.answersInput());
    if (answers && !context.asks()) {
      throw asksNothing(context);
    }
    CodeRun run =
        admitted(
            answers ? RUN_COST + Questions.COST : RUN_COST,
            () ->
                context.execute(
                    request.code(),
                    request.env() == null ? Map.of() : request.env(),
                    timeout,
                    maxOutput,
                    reconnect(request.reconnectSeconds()),
                    request.id(),
                    request.whenBusy() != WhenBusy.FAIL,
                    answers ? CodeRun.Asking.CALLER : CodeRun.Asking.NOBODY,
                    ticket));
    repayQuestions(run);
    remember(run);
    announce(run, request.code());
    watchCode(run);
    return run;
  }

  private static AtollException asksNothing(CodeContext context) {
    return new AtollException(
        ErrorCode.INPUT_UNSUPPORTED,
        "the kernel of context %s (%s) cannot ask questions"
            .formatted(context.name(), context.language()),
        "leave answersInput out, and pass data as a file or variable; a sandbox from a state of an"
            + " earlier version of Atoll has no questions in any language, a new one has");
  }

  /** Code of the default language shares one context, whether or not it names its language. */
  private String contextOf(RunCodeRequest request) {
    if (request.context() != null) {
      return request.context();
    }
    String language = request.language();
    return language == null || language.equals(defaultLanguage) ? DEFAULT_CONTEXT : language;
  }

  /**
   * Runs code of Atoll's own in a living context. It is no run of the user: nothing lists it, and
   * it keeps no sandbox busy.
   *
   * @param patience how long to wait for a run that is under way there
   * @throws AtollException {@link ErrorCode#BUSY} when the context stays busy, {@link
   *     ErrorCode#CONTEXT_NOT_FOUND} when there is none
   */
  public RunResult inspect(String context, String code, Duration patience, Duration timeout) {
    return living(context).inspect(code, patience, timeout, 0);
  }

  private CodeContext context(
      String name, @Nullable String language, @Nullable String cwd, Map<String, String> env) {
    CodeContext context =
        contexts.compute(
            name,
            (key, existing) -> {
              if (existing != null && !existing.isDead()) {
                existing.conceal(false);
                return existing;
              }
              if (contexts.size() >= MAX_CONTEXTS) {
                throw new AtollException(
                    ErrorCode.QUOTA_EXCEEDED,
                    "the sandbox has " + MAX_CONTEXTS + " contexts already",
                    "delete one of them");
              }
              return CodeContext.open(
                  name,
                  language == null ? defaultLanguage : language,
                  cwd,
                  env,
                  guest,
                  deadlines,
                  ids());
            });
    if (language != null && !context.language().equals(language)) {
      throw new AtollException(
          ErrorCode.CONFLICT,
          "context %s is for %s, not for %s".formatted(name, context.language(), language),
          "use another context name");
    }
    return context;
  }

  private void watchCode(CodeRun run) {
    watch(run, run.execution().deadline(), run::timeOut);
  }

  // Contexts.

  public List<ContextInfo> contexts() {
    return contexts.values().stream()
        .filter(context -> !context.isDead() && !context.isConcealed())
        .map(CodeContext::info)
        .sorted(Comparator.comparing(ContextInfo::name))
        .toList();
  }

  public ContextInfo openContext(ContextSpec spec, Map<String, String> env) {
    CodeContext existing = contexts.get(spec.name());
    if (existing != null && existing.isConcealed()) {
      existing.close();
      contexts.remove(spec.name(), existing);
    } else if (existing != null && !existing.isDead()) {
      throw new AtollException(
          ErrorCode.CONFLICT, "there is a context " + spec.name() + " already");
    }
    return context(spec.name(), spec.language(), spec.cwd(), env).info();
  }

  public ContextInfo restartContext(String name, Map<String, String> env) {
    CodeContext old = living(name);
    old.close();
    contexts.remove(name, old);
    return context(name, old.language(), null, env).info();
  }

  public void deleteContext(String name) {
    CodeContext old = living(name);
    old.close();
    contexts.remove(name, old);
  }

  public void interruptContext(String name) {
    living(name).interrupt();
  }

  private CodeContext living(String name) {
    CodeContext context = contexts.get(name);
    if (context == null || context.isDead() || context.isConcealed()) {
      throw new AtollException(ErrorCode.CONTEXT_NOT_FOUND, "there is no context " + name);
    }
    return context;
  }

  // Processes.

  /**
   * Starts a program.
   *
   * @param background true: it is kept, also after its end, until it is forgotten, and it has no
   *     default timeout
   */
  public Run start(CommandRequest request, boolean background) {
    return once(request.id(), new Ticket(), () -> start(request, background, null, null));
  }

  /**
   * Starts a program that runs by itself: it sees no other process, and none of its own outlives
   * it. It is no run that a state is kept after.
   */
  public Run start(CommandRequest request, Bounds bounds) {
    return start(request, false, bounds, null);
  }

  /** Installs packages; the run tells what came of it before it ends. */
  public Run install(PackagesRequest request) {
    Installer manager = Installation.manager(request);
    try {
      return start(Installation.install(request), false, null, manager);
    } catch (AtollException e) {
      throw e.code() == ErrorCode.COMMAND_NOT_FOUND ? Installation.missing(manager) : e;
    }
  }

  private Run start(
      CommandRequest request,
      boolean background,
      @Nullable Bounds bounds,
      @Nullable Installer installer) {
    if (!background && (request.pty() != null || Boolean.TRUE.equals(request.openStdin()))) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT,
          "pty and openStdin are for background processes",
          "start a process and attach to it");
    }
    Instant now = Instant.now();
    long deadline = deadlineMillis(request, background, now);
    long maxOutput =
        request.maxOutputBytes() != null
            ? request.maxOutputBytes()
            : background ? Long.MAX_VALUE : settings.maxOutputBytes();
    List<String> argv = argv(request);
    ProcessTag tag =
        new ProcessTag(
            request.id() == null ? newId() : request.id(),
            background,
            request.pty() != null,
            now,
            deadline,
            maxOutput,
            request.name(),
            installer,
            reconnect(request.reconnectSeconds()),
            argv);
    Start.Builder opening = opening(request, argv);
    if (bounds != null) {
      opening.setBounds(bounds.wire());
    }
    byte[] stdin =
        request.stdin() == null ? null : request.stdin().getBytes(StandardCharsets.UTF_8);
    if (stdin != null) {
      guest.memory().require(stdin.length, "the program's input");
    }
    ProcessRun run;
    try {
      run = admitted(RUN_COST, () -> ProcessRun.start(guest, tag, opening));
    } catch (RuntimeException e) {
      guest.memory().give(stdin == null ? 0 : stdin.length);
      throw e;
    }
    remember(run);
    if (bounds == null) {
      announce(run, note(request, argv, installer));
    }
    if (deadline > 0) {
      watch(run, Instant.ofEpochMilli(deadline), run::timeOut);
    }
    if (stdin != null) {
      feed(run, stdin);
    }
    return run;
  }

  private static String note(
      CommandRequest request, List<String> argv, @Nullable Installer installer) {
    if (installer != null) {
      return installer.wire() + " install";
    }
    return request.shell() != null ? request.shell() : String.join(" ", argv);
  }

  private long deadlineMillis(CommandRequest request, boolean background, Instant now) {
    if (background && request.timeoutSeconds() == null) {
      return 0;
    }
    return now.plus(timeout(request.timeoutSeconds())).toEpochMilli();
  }

  private static Start.Builder opening(CommandRequest request, List<String> argv) {
    Start.Builder start =
        Start.newBuilder()
            .addAllArgv(argv)
            .setStdin(request.stdin() != null || Boolean.TRUE.equals(request.openStdin()));
    if (request.env() != null) {
      start.addAllEnv(Guest.variables(request.env()));
    }
    if (request.cwd() != null) {
      start.setCwd(request.cwd());
    }
    if (request.user() != null) {
      start.setUser(request.user());
    }
    TerminalSize pty = request.pty();
    if (pty != null) {
      start.setPty(Resize.newBuilder().setRows(pty.rows()).setColumns(pty.columns()));
    }
    return start;
  }

  private static List<String> argv(CommandRequest request) {
    List<String> argv = request.argv();
    return argv != null ? argv : List.of("/bin/sh", "-c", String.valueOf(request.shell()));
  }

  /** Gives a program its whole input while it runs; one that does not read it is not waited for. */
  private void feed(ProcessRun run, byte[] input) {
    Thread.ofVirtual()
        .name("stdin-" + run.id())
        .start(
            () -> {
              try {
                run.writeStdin(input, 0, input.length);
                run.closeStdin();
              } catch (AtollException e) {
                // It ended, or does not want its input; its own end tells the rest.
              } finally {
                guest.memory().give(input.length);
              }
            });
  }

  private Duration timeout(@Nullable Double seconds) {
    return seconds == null ? settings.timeout() : Duration.ofMillis(Math.round(seconds * 1000));
  }

  private static @Nullable Duration reconnect(@Nullable Double seconds) {
    return seconds == null ? null : Duration.ofMillis(Math.round(seconds * 1000));
  }

  private void watch(RunRecord run, Instant deadline, Runnable timeOut) {
    Duration left = Duration.between(Instant.now(), deadline);
    Deadlines.Alarm alarm = deadlines.after(left, "timeout-" + run.id(), timeOut);
    run.onEnd(alarm::cancel);
  }

  private void announce(RunRecord run, String what) {
    String line = what.strip().lines().findFirst().orElse("");
    String note = line.length() > MAX_NOTE ? line.substring(0, MAX_NOTE) + "…" : line;
    run.onEnd(() -> listener.ended(run.id(), note));
  }

  private void remember(RunRecord run) {
    runs.put(run.id(), run);
    run.log().onIdle(() -> store(run));
    RunRecord oldest = runs.size() > settings.maxKept() ? oldestEnded() : null;
    if (oldest != null) {
      forget(oldest);
    }
  }

  public Run run(String id) {
    return record(id);
  }

  private RunRecord record(String id) {
    RunRecord run = runs.get(id);
    if (run == null) {
      throw new AtollException(
          ErrorCode.PROCESS_NOT_FOUND,
          "there is no run " + id + " in this sandbox",
          "ended runs are kept for a few minutes only");
    }
    return run;
  }

  public List<ProcessInfo> processes() {
    return runs.values().stream()
        .filter(ProcessRun.class::isInstance)
        .map(RunRecord::info)
        .sorted(Comparator.comparing(ProcessInfo::startedAt))
        .toList();
  }

  /** Ends a process with all its descendants, or cancels an execution, and forgets it. */
  public void forget(String id) {
    forget(record(id));
  }

  private void forget(RunRecord run) {
    if (run instanceof ProcessRun process) {
      process.close();
    } else {
      run.cancel();
    }
    drop(run);
  }

  private static String newId() {
    return "run_" + Long.toString(RANDOM.nextLong() >>> 1, 36);
  }
}
