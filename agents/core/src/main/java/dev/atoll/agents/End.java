package dev.atoll.agents;

/** How work on a task ended. */
public enum End {
  /** The model has answered. */
  ANSWERED,
  /** The model wanted more replies than the budget has. */
  STEP_LIMIT,
  /** More tokens were used than the budget has. */
  TOKEN_LIMIT,
  /** The budget's time was up. */
  TIME_LIMIT,
  /** Someone cancelled. */
  CANCELLED,
  /** The model gave no reply. */
  MODEL_FAILED,
  /** The sandbox has ended, or cannot be reached. */
  SANDBOX_LOST
}
