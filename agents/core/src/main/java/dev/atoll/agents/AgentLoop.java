package dev.atoll.agents;

import dev.atoll.agents.tools.CallListener;
import dev.atoll.agents.tools.OutputListener;
import dev.atoll.agents.tools.SandboxTools;
import dev.atoll.agents.tools.ToolCall;
import dev.atoll.agents.tools.ToolResult;
import dev.atoll.model.AtollException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Works on one task: model, calls, results, model, until there is an answer or an end. */
final class AgentLoop {
  private final Model model;
  private final AgentConfig config;
  private final SandboxTools tools;
  private final Conversation conversation;
  private final Consumer<AgentEvent> listener;
  private final Stop stop;
  private final Repetitions repetitions = new Repetitions();
  private final long began = System.nanoTime();
  private Usage usage = Usage.NONE;
  private int steps;
  private int failedCalls;
  private String answer = "";

  AgentLoop(
      Model model,
      AgentConfig config,
      SandboxTools tools,
      Conversation conversation,
      Consumer<AgentEvent> listener,
      Stop stop) {
    this.model = model;
    this.config = config;
    this.tools = tools;
    this.conversation = conversation;
    this.listener = listener;
    this.stop = stop;
  }

  Outcome run(String task) {
    listener.accept(new AgentEvent.Asked(task));
    conversation.ask(task);
    Outcome outcome = work();
    conversation.settle();
    listener.accept(
        new AgentEvent.Ended(
            outcome.end(),
            outcome.message(),
            outcome.steps(),
            outcome.usage(),
            outcome.time().toMillis()));
    return outcome;
  }

  private Outcome work() {
    try {
      while (true) {
        if (stop.isCancelled()) {
          return outcome(End.CANCELLED, "");
        }
        if (steps >= config.budget().steps()) {
          return outcome(End.STEP_LIMIT, "%d replies and no answer".formatted(steps));
        }
        Reply reply = reply();
        if (reply.calls().isEmpty() && !reply.cutOff()) {
          return outcome(End.ANSWERED, "");
        }
        if (usage.total() > config.budget().tokens()) {
          return outcome(
              End.TOKEN_LIMIT,
              "%,d tokens of %,d".formatted(usage.total(), config.budget().tokens()));
        }
        if (reply.calls().isEmpty()) {
          conversation.ask("Your reply was cut off since it was too long. Go on.");
        } else if (steps < config.budget().steps()) {
          carryOut(reply.calls());
        }
      }
    } catch (Stop.Stopped e) {
      return outcome(e.end(), e.end() == End.TIME_LIMIT ? config.budget().time().toString() : "");
    } catch (ModelException e) {
      return outcome(End.MODEL_FAILED, String.valueOf(e.getMessage()));
    } catch (AtollException e) {
      return outcome(End.SANDBOX_LOST, String.valueOf(e.getMessage()));
    }
  }

  private Outcome outcome(End end, String message) {
    return new Outcome(
        end,
        answer,
        message,
        steps,
        failedCalls,
        usage,
        Duration.ofNanos(System.nanoTime() - began));
  }

  private Reply reply() throws Stop.Stopped {
    Prompt prompt = conversation.prompt(config.instructions(), tools.definitions());
    for (int attempt = 1; ; attempt++) {
      try {
        Reply reply = stop.call(() -> asked(prompt));
        steps++;
        usage = usage.plus(reply.usage());
        answer = reply.text().isBlank() ? answer : reply.text();
        conversation.replied(reply);
        listener.accept(
            new AgentEvent.Replied(
                steps, reply.text(), reply.calls(), reply.cutOff(), reply.usage()));
        return reply;
      } catch (ModelException e) {
        if (!e.temporary() || attempt >= config.patience().attempts()) {
          throw e;
        }
        Duration delay = config.patience().delay(attempt, e);
        listener.accept(
            new AgentEvent.Waiting(String.valueOf(e.getMessage()), attempt, delay.toMillis()));
        stop.pause(delay);
      }
    }
  }

  /** Whatever else a model's library throws ends the task, and not the program. */
  private Reply asked(Prompt prompt) {
    try {
      return model.reply(prompt, text -> listener.accept(new AgentEvent.Text(text)));
    } catch (ModelException e) {
      throw e;
    } catch (RuntimeException e) {
      throw ModelException.lasting(e.toString(), e);
    }
  }

  private void carryOut(List<ToolCall> calls) throws Stop.Stopped {
    List<ToolResult> results = stop.call(() -> tools.callAll(calls, new Reports()));
    List<Message.Answer> answers = new ArrayList<>();
    for (int i = 0; i < calls.size(); i++) {
      ToolResult result = repetitions.noticed(calls.get(i), results.get(i));
      failedCalls += result.error() ? 1 : 0;
      answers.add(new Message.Answer(calls.get(i), result));
    }
    conversation.answered(answers);
  }

  /** Tells the listener of calls. */
  private final class Reports implements CallListener {
    private final Map<ToolCall, Long> starts = new ConcurrentHashMap<>();

    @Override
    public void started(ToolCall call) {
      starts.put(call, System.nanoTime());
      listener.accept(new AgentEvent.Started(call));
    }

    @Override
    public void output(ToolCall call, OutputListener.Stream stream, String text) {
      listener.accept(new AgentEvent.Output(call, stream, text));
    }

    @Override
    public void ended(ToolCall call, ToolResult result) {
      long nanos = System.nanoTime() - starts.getOrDefault(call, System.nanoTime());
      listener.accept(new AgentEvent.Answered(call, result, nanos / 1_000_000));
    }
  }
}
