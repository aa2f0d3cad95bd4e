package dev.atoll.engine.template;

import dev.atoll.model.RunEvent;
import java.util.function.Consumer;

/** Makes lines of output that comes in pieces; what is no text is left out. */
public final class LineSplitter {
  private static final int MOST_CHARACTERS = 8192;

  private final Consumer<String> listener;
  private final StringBuilder line = new StringBuilder();

  public LineSplitter(Consumer<String> listener) {
    this.listener = listener;
  }

  public void add(RunEvent.Output output) {
    String text = output.text() == null ? "(bytes that are no text)\n" : output.text();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (line.length() >= MOST_CHARACTERS) {
        end();
      }
      if (c == '\n') {
        end();
      } else if (c == '\r') {
        // Progress bars write over their line: the last state of it counts.
        if (i + 1 < text.length() && text.charAt(i + 1) != '\n') {
          line.setLength(0);
        }
      } else {
        line.append(c);
      }
    }
  }

  /** Gives what is left. */
  public void end() {
    if (!line.isEmpty()) {
      listener.accept(line.toString());
      line.setLength(0);
    }
  }
}
