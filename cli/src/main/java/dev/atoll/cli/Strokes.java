package dev.atoll.cli;

import dev.atoll.model.StateKind;

/**
 * The characters that a tree is drawn with.
 *
 * @param fork a branch with more below it
 * @param last the last branch
 * @param line goes past a branch to what is below it
 * @param here marks the node that was asked for
 */
record Strokes(
    String fork,
    String last,
    String line,
    String sandbox,
    String snapshot,
    String checkpoint,
    String here) {
  static final Strokes BOX = new Strokes("├─", "└─", "│ ", "■", "●", "○", " ◀");
  static final Strokes ASCII = new Strokes("|-", "`-", "| ", "#", "*", "o", " <-");
  static final String BLANK = "  ";

  String of(StateKind kind) {
    return switch (kind) {
      case SANDBOX -> sandbox;
      case SNAPSHOT -> snapshot;
      case CHECKPOINT -> checkpoint;
    };
  }
}
