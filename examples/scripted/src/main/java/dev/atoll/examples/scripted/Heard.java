package dev.atoll.examples.scripted;

import java.util.List;

/**
 * A request in the terms of all dialects.
 *
 * @param entries the conversation so far
 */
record Heard(List<Entry> entries) {
  /** Who said something. */
  enum Who {
    USER,
    MODEL,
    TOOL
  }

  record Entry(Who who, String text) {}

  /** The output of the last tool, or nothing. */
  String lastOutput() {
    return entries.reversed().stream()
        .filter(entry -> entry.who() == Who.TOOL)
        .map(Entry::text)
        .findFirst()
        .orElse("");
  }
}
