package dev.atoll.agents.tools;

/** Hears what programs write while they run, on the thread that waits for them. */
@FunctionalInterface
public interface OutputListener {
  /** Hears nothing. */
  OutputListener NONE = (stream, text) -> {};

  /** Which of the two streams of a program. */
  enum Stream {
    STDOUT,
    STDERR
  }

  /** Some output, in the order in which it came. */
  void output(Stream stream, String text);
}
