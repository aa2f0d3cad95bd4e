package dev.atoll.agents;

import dev.atoll.agents.tools.ToolCall;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hears everything that happens in a session, one event at a time: keeps it, writes it to a file at
 * once, and passes it on.
 */
final class Recorder implements Consumer<AgentEvent> {
  // As long as the longest call that is carried out; longer ones are refused anyway.
  private static final int MAX_ARGUMENTS = 1 << 20;
  private static final int SHOWN = 2000;

  private final Consumer<AgentEvent> listener;
  private final @Nullable Path file;
  private final List<AgentEvent> events = new ArrayList<>();

  Recorder(Consumer<AgentEvent> listener, @Nullable Path file) {
    this.listener = listener;
    this.file = file;
  }

  @Override
  public synchronized void accept(AgentEvent event) {
    if (event.kept()) {
      AgentEvent bounded = bounded(event);
      events.add(bounded);
      write(bounded);
    }
    listener.accept(event);
  }

  private void write(AgentEvent event) {
    if (file == null) {
      return;
    }
    try {
      Files.writeString(
          file, Transcript.line(event), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  synchronized Transcript transcript() {
    return new Transcript(events);
  }

  private static AgentEvent bounded(AgentEvent event) {
    return switch (event) {
      case AgentEvent.Replied replied ->
          new AgentEvent.Replied(
              replied.step(),
              replied.text(),
              replied.calls().stream().map(Recorder::bounded).toList(),
              replied.cutOff(),
              replied.usage());
      case AgentEvent.Answered answered ->
          new AgentEvent.Answered(bounded(answered.call()), answered.result(), answered.millis());
      case AgentEvent.InBranch branch ->
          new AgentEvent.InBranch(branch.branch(), bounded(branch.inner()));
      default -> event;
    };
  }

  /** A call whose arguments are no longer than what anyone would want to keep or send again. */
  static ToolCall bounded(ToolCall call) {
    String arguments = call.arguments();
    return arguments.length() <= MAX_ARGUMENTS
        ? call
        : new ToolCall(
            call.id(),
            call.name(),
            arguments.substring(0, SHOWN)
                + "… (%,d characters in all)".formatted(arguments.length()));
  }
}
