package dev.atoll.agents;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/** Says what was said before. */
final class ReplayModel implements Model {
  private final List<AgentEvent> events;
  private final Deque<AgentEvent.Replied> replies = new ArrayDeque<>();

  ReplayModel(List<AgentEvent> events) {
    this.events = events;
    for (AgentEvent event : events) {
      if (event instanceof AgentEvent.Replied replied) {
        replies.add(replied);
      }
    }
  }

  @Override
  public synchronized Reply reply(Prompt prompt, Consumer<String> text) {
    AgentEvent.Replied next = replies.poll();
    if (next == null) {
      throw ModelException.lasting("the transcript has no more replies", null);
    }
    text.accept(next.text());
    return new Reply(next.text(), next.calls(), next.cutOff(), next.usage(), null);
  }

  @Override
  public Model inBranch(int branch) {
    List<AgentEvent> inner = new ArrayList<>();
    for (AgentEvent event : events) {
      if (event instanceof AgentEvent.InBranch in && in.branch() == branch) {
        inner.add(in.inner());
      }
    }
    return new ReplayModel(inner);
  }
}
