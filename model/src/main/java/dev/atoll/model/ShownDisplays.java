package dev.atoll.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** What a run has shown on the way, as it stands at the end: what was replaced is not there. */
public final class ShownDisplays {
  private final List<RunEvent.Display> shown = new ArrayList<>();
  private boolean clearing;

  /** Whether what the run has printed and shown before this event goes away with it. */
  public boolean clearedBy(RunEvent event) {
    if (event instanceof RunEvent.Display display && display.clear() != null) {
      clearing = display.clear() == RunEvent.Clearing.NEXT;
      return !clearing;
    }
    boolean cleared =
        clearing
            && (event instanceof RunEvent.Output
                || event instanceof RunEvent.Display
                || event instanceof RunEvent.Result);
    clearing &= !cleared;
    return cleared;
  }

  public void clear() {
    shown.clear();
  }

  /**
   * Takes in what is shown. What replaces something that an earlier run has shown is there as if it
   * were new.
   */
  public void add(RunEvent.Display display) {
    if (display.clear() != null) {
      return;
    }
    boolean known = false;
    for (int i = 0; display.replaces() && i < shown.size(); i++) {
      if (Objects.equals(display.displayId(), shown.get(i).displayId())) {
        shown.set(i, display);
        known = true;
      }
    }
    if (!known) {
      shown.add(display);
    }
  }

  /** All of it, in the order in which it first came. */
  public List<MimeBundle> bundles() {
    return shown.stream().map(RunEvent.Display::data).toList();
  }
}
