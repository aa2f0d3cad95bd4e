package dev.atoll.cli;

import dev.atoll.model.Json;
import dev.atoll.model.ServiceLogLine;
import dev.atoll.model.Visible;
import dev.atoll.sdk.ServiceLogFeed;

/**
 * What the instances of a service have written, a line for each line; as JSON, one document each.
 *
 * @param command for which it is printed
 */
record ServiceLogs(ListingCommand command) {
  /** How many lines are printed when nothing else is said. */
  static final int TAIL = 100;

  void print(String service, int tail, boolean follow) {
    if (!follow) {
      command.atoll().services().logs(service, tail).forEach(this::print);
      return;
    }
    try (ServiceLogFeed feed = command.atoll().services().follow(service, tail)) {
      feed.forEach(this::print);
    }
  }

  private void print(ServiceLogLine line) {
    String text =
        command.json()
            ? Json.lenient().writeValueAsString(line)
            : "%s r%d %s  %s"
                .formatted(
                    line.instance(), line.revision(), line.stream(), Visible.line(line.text()));
    command.stdio().out().println(text);
    command.stdio().out().flush();
  }
}
