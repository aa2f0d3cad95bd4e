package dev.atoll.model;

/** The size of a terminal in characters. */
public record TerminalSize(int rows, int columns) {
  public TerminalSize {
    Check.range("rows", rows, 1, 4096);
    Check.range("columns", columns, 1, 4096);
  }
}
