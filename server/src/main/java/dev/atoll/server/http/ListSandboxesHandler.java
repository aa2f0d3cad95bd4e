package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.engine.SandboxQuery;
import dev.atoll.model.SandboxState;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code GET /v1/sandboxes}: lists sandboxes, newest first. */
final class ListSandboxesHandler implements Operation {
  private static final int DEFAULT_LIMIT = 50;
  private static final int MAX_LIMIT = 200;

  private final Engine engine;

  ListSandboxesHandler(Engine engine) {
    this.engine = engine;
  }

  @Override
  public void handle(Exchange exchange) {
    exchange.json(200, engine.sandboxes().list(exchange.project(), parse(exchange.query())));
  }

  static SandboxQuery parse(Query query) {
    return new SandboxQuery(
        (int) query.number("limit", DEFAULT_LIMIT, 1, MAX_LIMIT),
        query.text("cursor"),
        states(query.text("state"), query.flag("all", false)),
        query.text("name"),
        query.startingWith("metadata."));
  }

  private static Set<SandboxState> states(@Nullable String list, boolean all) {
    if (list == null) {
      return all ? EnumSet.allOf(SandboxState.class) : Set.of();
    }
    Set<SandboxState> states = EnumSet.noneOf(SandboxState.class);
    for (String wire : list.split(",", -1)) {
      states.add(state(wire.strip()));
    }
    return states;
  }

  private static SandboxState state(String wire) {
    for (SandboxState state : SandboxState.values()) {
      if (state.wire().equals(wire)) {
        return state;
      }
    }
    throw Query.invalid(
        "state",
        "has \""
            + wire
            + "\", possible are "
            + Arrays.stream(SandboxState.values())
                .map(SandboxState::wire)
                .collect(Collectors.joining(", ")));
  }
}
