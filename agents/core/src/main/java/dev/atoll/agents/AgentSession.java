package dev.atoll.agents;

import dev.atoll.agents.tools.Concurrently;
import dev.atoll.agents.tools.SandboxTools;
import dev.atoll.agents.tools.Workspace;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A conversation with an agent, and its sandbox: what one task leaves behind, files, variables,
 * words, is there in the next. Closing it ends the sandbox.
 *
 * <p>One task at a time; {@link #cancel()} may come from any thread.
 */
public final class AgentSession implements AutoCloseable {
  private final Model model;
  private final AgentConfig config;
  private final SandboxTools tools;
  private final Recorder recorder;
  private final ReentrantLock asking = new ReentrantLock();
  private final CompletableFuture<Void> cancelled = new CompletableFuture<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private Conversation conversation = new Conversation();

  AgentSession(Model model, AgentConfig config, SandboxTools tools, Recorder recorder) {
    this.model = model;
    this.config = config;
    this.tools = tools;
    this.recorder = recorder;
    recorder.accept(
        new AgentEvent.Opened(tools.workspace().id(), tools.workspace().facts().template()));
  }

  /** Works on a task until there is an answer, or a budget ends. */
  public Outcome ask(String task) {
    take();
    try {
      return loop(model, tools, conversation, recorder).run(task);
    } finally {
      asking.unlock();
    }
  }

  private AgentLoop loop(
      Model ofLoop, SandboxTools on, Conversation in, Consumer<AgentEvent> listener) {
    Stop stop = new Stop(cancelled, config.budget().time());
    return new AgentLoop(ofLoop, config, on, in, listener, stop);
  }

  /** Tries several ways at once, and goes on with the least failures. */
  public BranchOutcome branch(int count, Strategy strategy) {
    return branch(count, strategy, Scorer.fewestFailures());
  }

  /**
   * Tries several ways at once, each in a copy of the sandbox and of the conversation and with a
   * budget of its own, and goes on as the one with the highest score. If none comes to an answer,
   * the session stays as it was.
   */
  public BranchOutcome branch(int count, Strategy strategy, Scorer scorer) {
    take();
    List<Workspace> copies = new ArrayList<>();
    try {
      recorder.accept(new AgentEvent.Branched(count));
      copies.addAll(tools.workspace().fork(count));
      List<Callable<Branch>> runs = new ArrayList<>();
      for (int i = 1; i <= count; i++) {
        int number = i;
        runs.add(() -> run(number, copies.get(number - 1), strategy.task(number), scorer));
      }
      return choose(Concurrently.all(runs), copies);
    } finally {
      copies.forEach(Workspace::close);
      asking.unlock();
    }
  }

  /** A branch that has ended. */
  private record Branch(Conversation conversation, Outcome outcome, double score) {}

  private Branch run(int number, Workspace copy, String task, Scorer scorer) {
    Conversation own = conversation.copy();
    Consumer<AgentEvent> listener =
        event -> recorder.accept(new AgentEvent.InBranch(number, event));
    try (SandboxTools branch = tools.on(copy)) {
      Outcome outcome = loop(model.inBranch(number), branch, own, listener).run(task);
      double score = outcome.answered() ? scorer.score(outcome, copy) : Double.NaN;
      return new Branch(own, outcome, score);
    }
  }

  private BranchOutcome choose(List<Branch> branches, List<Workspace> copies) {
    List<Outcome> outcomes = branches.stream().map(Branch::outcome).toList();
    List<Double> scores = branches.stream().map(Branch::score).toList();
    OptionalInt best = BranchOutcome.highest(scores);
    if (best.isEmpty()) {
      return new BranchOutcome(outcomes, scores, 0);
    }
    int winner = best.getAsInt();
    tools.workspace().merge(copies.remove(winner));
    conversation = branches.get(winner).conversation();
    recorder.accept(new AgentEvent.Merged(winner + 1, scores.get(winner)));
    return new BranchOutcome(outcomes, scores, winner + 1);
  }

  private void take() {
    if (!asking.tryLock()) {
      throw new IllegalStateException("the session works on another task; ask when that is done");
    }
  }

  /** Ends the task that is worked on, at once, and every later one. */
  public void cancel() {
    cancelled.complete(null);
  }

  /** The conversation so far. */
  public List<Message> messages() {
    return conversation.messages();
  }

  /** The sandbox. */
  public Workspace workspace() {
    return tools.workspace();
  }

  /** What has happened so far. */
  public Transcript transcript() {
    return recorder.transcript();
  }

  /** Ends the sandbox and what was forked from it. */
  @Override
  public void close() {
    cancel();
    if (closed.getAndSet(true)) {
      return;
    }
    try {
      tools.close();
    } finally {
      tools.workspace().close();
    }
  }
}
