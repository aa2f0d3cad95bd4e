package dev.atoll.engine.program;

import dev.atoll.engine.Sandboxes;
import dev.atoll.model.AtollException;
import dev.atoll.model.SandboxSpec;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A sandbox that lives no longer than what it was made for. */
final class OwnSandbox implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OwnSandbox.class);

  private final Sandboxes sandboxes;
  private final String project;
  private final String id;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Makes it. Its spec should have a time to live, for the case that the server is killed. */
  OwnSandbox(Sandboxes sandboxes, String project, SandboxSpec spec) {
    this.sandboxes = sandboxes;
    this.project = project;
    this.id = sandboxes.createForProgram(project, spec).id();
  }

  String id() {
    return id;
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      sandboxes.terminate(project, id);
    } catch (AtollException e) {
      LOG.warn("{} is left to its time to live: {}", id, e.getMessage());
    }
  }
}
