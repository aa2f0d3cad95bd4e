package dev.atoll.engine.budget;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.util.Map;

/**
 * What one sandbox, or one request, holds of a budget, on account of its project. A machine that is
 * kept ready belongs to nobody; whoever takes it takes over what it holds. Thread-safe.
 */
public final class BudgetAccount {
  /** The server itself, as a project among the others. */
  public static final String NOBODY = "";

  private static final int RETRY_SECONDS = 1;

  private final FairBudget budget;
  private String project;
  private long held;

  public BudgetAccount(FairBudget budget, String project) {
    this.budget = budget;
    this.project = project;
  }

  /** Takes bytes; false, and nothing taken, when there is no room for them. */
  public synchronized boolean take(long bytes) {
    if (!budget.take(project, bytes)) {
      return false;
    }
    held += bytes;
    return true;
  }

  public synchronized void give(long bytes) {
    if (bytes > held) {
      throw new IllegalStateException("more is given back than was taken");
    }
    budget.give(project, bytes);
    held -= bytes;
  }

  /** An empty account of the same project. */
  public synchronized BudgetAccount another() {
    return new BudgetAccount(budget, project);
  }

  /** Gives back all that is held. */
  public synchronized void giveAll() {
    give(held);
  }

  /** Belongs to that project from now on, with all that it holds. */
  public synchronized void belongTo(String newProject) {
    if (!newProject.equals(project)) {
      budget.move(project, newProject, held);
      project = newProject;
    }
  }

  /**
   * Takes bytes.
   *
   * @throws AtollException {@link ErrorCode#OVERLOADED} when there is no room for them
   */
  public void require(long bytes, String what) {
    if (!take(bytes)) {
      throw full(what);
    }
  }

  /** What callers are told whose project holds all that it may. */
  public static AtollException full(String what) {
    return new AtollException(
        ErrorCode.OVERLOADED,
        "there is no memory for " + what + ": the project makes the server hold all that it may",
        "wait for requests and runs under way, ask for less at once, or read what they print",
        Map.of("retryAfterSeconds", RETRY_SECONDS),
        null);
  }

  public synchronized boolean isScarce() {
    return budget.isScarce(project);
  }

  public synchronized long held() {
    return held;
  }
}
