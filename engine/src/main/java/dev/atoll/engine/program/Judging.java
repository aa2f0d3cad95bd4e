package dev.atoll.engine.program;

import dev.atoll.engine.Run;
import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.engine.budget.FairBudget;
import dev.atoll.model.AtollException;
import dev.atoll.model.CaseResult;
import dev.atoll.model.Compilation;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.JudgeCase;
import dev.atoll.model.JudgeEvent;
import dev.atoll.model.JudgeRequest;
import dev.atoll.model.JudgeResult;
import dev.atoll.model.RunEvent;
import dev.atoll.model.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A program that is judged. It is compiled once; each case is a run by itself, on files as the
 * compiler left them, and nothing of one reaches the next. Expected outputs stay on this side.
 *
 * <p>Closing it ends what still runs and removes what was made for it; any thread may do so.
 */
public final class Judging implements AutoCloseable {
  private final JudgeRequest request;
  private final Workplace workplace;
  private final Duration compileTimeout;
  private final Runnable tidy;
  private volatile @Nullable Run current;
  private volatile boolean closed;

  /**
   * @param tidy removes what was made for it; called once or more
   */
  Judging(JudgeRequest request, Workplace workplace, Duration compileTimeout, Runnable tidy) {
    this.request = request;
    this.workplace = workplace;
    this.compileTimeout = compileTimeout;
    this.tidy = tidy;
  }

  /** Judges it, and gives the whole. */
  public JudgeResult judge() {
    List<CaseResult> cases = new ArrayList<>();
    List<Compilation> compilations = new ArrayList<>(1);
    List<JudgeEvent.Judged> end = new ArrayList<>(1);
    judge(
        event -> {
          switch (event) {
            case JudgeEvent.Compiler compiler -> compilations.add(compiler.compilation());
            case JudgeEvent.CaseEnd one -> cases.add(one.result());
            case JudgeEvent.Judged judged -> end.add(judged);
            case JudgeEvent.Alive _, JudgeEvent.Broken _ -> {}
          }
        });
    JudgeEvent.Judged judged = end.getFirst();
    return new JudgeResult(
        judged.verdict(),
        compilations.isEmpty() ? null : compilations.getFirst(),
        cases,
        judged.passed(),
        judged.total());
  }

  /** Judges it; the last event is {@link JudgeEvent.Judged}. Once only. */
  public void judge(Consumer<JudgeEvent> listener) {
    List<JudgeCase> cases = request.allCases();
    Compilation compilation = workplace.compile(compileTimeout, Map.of());
    if (compilation != null) {
      listener.accept(new JudgeEvent.Compiler(compilation));
    }
    if (compilation != null && !compilation.ok()) {
      listener.accept(new JudgeEvent.Judged(Verdict.COMPILATION_ERROR, 0, cases.size()));
      return;
    }
    Verdict verdict = Verdict.ACCEPTED;
    int passed = 0;
    for (int i = 0; i < cases.size(); i++) {
      CaseResult result = run(i + 1, new CaseLimits(request, cases.get(i)), cases.get(i));
      listener.accept(new JudgeEvent.CaseEnd(result));
      passed += result.verdict() == Verdict.ACCEPTED ? 1 : 0;
      verdict = verdict == Verdict.ACCEPTED ? result.verdict() : verdict;
      if (verdict != Verdict.ACCEPTED && Boolean.TRUE.equals(request.stopAtFirstFailure())) {
        break;
      }
    }
    listener.accept(new JudgeEvent.Judged(verdict, passed, cases.size()));
  }

  private CaseResult run(int number, CaseLimits limits, JudgeCase one) {
    if (closed) {
      throw new AtollException(ErrorCode.CONFLICT, "the judging was ended");
    }
    BudgetAccount memory = new BudgetAccount(FairBudget.HEAP, workplace.project());
    try {
      return run(number, limits, one, new Output(limits.maxOutput(), false, memory));
    } finally {
      memory.giveAll();
    }
  }

  private CaseResult run(int number, CaseLimits limits, JudgeCase one, Output output) {
    Map<String, String> env = request.env();
    // What is beyond the limit still comes, so that the program can be ended at once.
    Run run =
        workplace.run(
            limits.arguments(),
            env == null ? Map.of() : env,
            one.stdin() == null ? "" : one.stdin(),
            limits.bounds(),
            limits.maxOutput() + 1);
    current = run;
    RunEvent.End end =
        run.follow(
            event -> {
              output.add(event);
              if (output.cutBytes() > 0 || closed) {
                stop(run);
              }
            });
    current = null;
    return new Outcome(end, output).judge(number, one, limits);
  }

  private static void stop(Run run) {
    try {
      run.cancel();
    } catch (AtollException e) {
      // It has just ended.
    }
  }

  @Override
  public void close() {
    closed = true;
    Run run = current;
    if (run != null) {
      stop(run);
    }
    tidy.run();
  }
}
