package dev.atoll.agents;

/** What each branch should try. */
@FunctionalInterface
public interface Strategy {
  /** The task of a branch, counted from 1. */
  String task(int branch);
}
