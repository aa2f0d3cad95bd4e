package dev.atoll.server.mcp;

import dev.atoll.engine.Sandboxes;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxSpec;
import dev.atoll.model.SandboxState;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The sandboxes of one session: the one that tools use when they name none, made when it is first
 * needed, and all others that the session made. They end with it.
 */
final class SessionSandboxes {
  private static final Map<String, String> LABELS = Map.of("atoll.made-by", "mcp");

  private final Sandboxes engine;
  private final String project;
  private final McpSettings settings;
  private final Set<String> own = new LinkedHashSet<>();
  private @Nullable String current;
  private boolean several;
  private boolean replaced;
  private boolean closed;

  SessionSandboxes(Sandboxes engine, String project, McpSettings settings) {
    this.engine = engine;
    this.project = project;
    this.settings = settings;
  }

  /** The sandbox for a tool that names none. */
  synchronized String current() {
    if (current != null && ended(current)) {
      own.remove(current);
      current = null;
      replaced = true;
    }
    return current == null ? create(SandboxSpec.defaults(), false, true).id() : current;
  }

  /** The sandbox for a tool that names none, if there is one already. */
  synchronized Optional<String> own() {
    return Optional.ofNullable(current);
  }

  /** Whether there are others of the session, so that it has to be said which one is meant. */
  synchronized boolean several() {
    return several;
  }

  /**
   * Makes a sandbox.
   *
   * @param kept whether it outlives the session
   * @param use whether tools that name none use it from now on
   */
  synchronized SandboxInfo create(SandboxSpec spec, boolean kept, boolean use) {
    check();
    SandboxInfo made = engine.create(project, kept ? spec : bounded(spec), null);
    if (!kept) {
      own.add(made.id());
    }
    several |= !use || current != null;
    if (use) {
      current = made.id();
    }
    return made;
  }

  /** Makes the session responsible for sandboxes that came of its own. */
  synchronized void adopt(List<SandboxInfo> made) {
    made.forEach(one -> own.add(one.id()));
    several = true;
    if (closed) {
      endAll();
    }
  }

  /** Forgets one that was ended. */
  synchronized void forget(String id) {
    own.remove(id);
    if (id.equals(current)) {
      current = null;
    }
  }

  synchronized boolean owns(String id) {
    return own.contains(id);
  }

  /** True once after the sandbox had to be made anew. */
  synchronized boolean wasReplaced() {
    boolean news = replaced;
    replaced = false;
    return news;
  }

  synchronized void close() {
    closed = true;
    endAll();
  }

  private void endAll() {
    for (String id : own) {
      try {
        engine.terminate(project, id);
      } catch (RuntimeException e) {
        // Its time limits end it in any case.
        McpSessions.log.warn("sandbox {} of a session was not ended", id, e);
      }
    }
    own.clear();
  }

  private void check() {
    if (closed) {
      throw new AtollException(ErrorCode.GONE, "the session has ended");
    }
  }

  private boolean ended(String id) {
    SandboxState state = engine.get(project, id).state();
    return state == SandboxState.TERMINATED || state == SandboxState.FAILED;
  }

  private SandboxSpec bounded(SandboxSpec spec) {
    return new SandboxSpec(
        spec.name(),
        spec.template(),
        spec.cpus(),
        spec.memoryMiB(),
        spec.diskMiB(),
        spec.processes(),
        spec.env(),
        LABELS,
        spec.ttlSeconds() == null ? seconds(settings.sandboxTtl()) : spec.ttlSeconds(),
        // A session that lives may come back to it; one that does not has ended it before.
        2 * seconds(settings.sessionIdle()),
        false,
        spec.isolation(),
        spec.snapshot(),
        spec.onIdle(),
        spec.checkpoints(),
        spec.forkAhead(),
        spec.network(),
        spec.secrets());
  }

  private static double seconds(Duration time) {
    return time.toMillis() / 1000.0;
  }
}
