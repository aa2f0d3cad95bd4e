package dev.atoll.cli;

import dev.atoll.model.MimeBundle;
import dev.atoll.model.RunEvent;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What a run shows again and again in the place of itself, such as the bar of a long loop: its last
 * state is printed at the end. Who sits at a terminal sees each state meanwhile, on one line.
 */
final class ReplacedDisplays {
  private static final String ERASE = "\r\033[K";

  private final Stdio stdio;
  private final Map<String, MimeBundle> latest = new LinkedHashMap<>();
  private boolean lineShown;

  ReplacedDisplays(Stdio stdio) {
    this.stdio = stdio;
  }

  void update(RunEvent.Display display) {
    if (display.displayId() == null) {
      return;
    }
    latest.put(display.displayId(), display.data());
    String text = display.data().text().strip();
    if (stdio.errTerminal()) {
      stdio.err().print(ERASE + text.substring(text.lastIndexOf('\n') + 1));
      stdio.err().flush();
      lineShown = true;
    }
  }

  /** Something else is about to be printed. */
  void makeWay(RunEvent event) {
    boolean silent = event instanceof RunEvent.Display display && display.replaces();
    if (lineShown && !silent && !(event instanceof RunEvent.Ping)) {
      stdio.err().print(ERASE);
      stdio.err().flush();
      lineShown = false;
    }
  }

  /** No more will come. */
  void end(Consumer<MimeBundle> print) {
    if (lineShown) {
      stdio.err().print(ERASE);
      stdio.err().flush();
      lineShown = false;
    }
    latest.values().forEach(print);
    latest.clear();
  }
}
