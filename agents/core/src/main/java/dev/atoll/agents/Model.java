package dev.atoll.agents;

import java.util.function.Consumer;

/** A language model that can call tools. */
@FunctionalInterface
public interface Model {
  /**
   * One reply. Blocks; an interrupt ends it.
   *
   * @param text hears the reply's text while it comes
   * @throws ModelException if there is none
   */
  Reply reply(Prompt prompt, Consumer<String> text);

  /** The model for a branch of the conversation, counted from 1; usually this one. */
  default Model inBranch(int branch) {
    return this;
  }
}
