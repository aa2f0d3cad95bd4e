package dev.atoll.engine;

import dev.atoll.driver.Driver;
import dev.atoll.engine.run.Deadlines;
import dev.atoll.engine.store.SandboxRows;
import dev.atoll.engine.store.Store;
import dev.atoll.engine.template.TemplateBuilder;
import dev.atoll.model.DriverReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;

/**
 * Atoll without its front ends. Opening it takes over what an earlier engine left running; closing
 * it leaves everything running for the next one.
 */
public final class Engine implements AutoCloseable {
  private static final Duration REAP_EVERY = Duration.ofMillis(500);

  private final Store store;
  private final Deadlines deadlines;
  private final DriverChoice drivers;
  private final Lifecycle lifecycle;
  private final Sandboxes sandboxes;
  private final ApiKeys keys;
  private final Templates templates;
  private final Deadlines.Alarm reaping;

  private Engine(EngineConfig config, Store store, List<Driver> available) {
    this.store = store;
    this.deadlines = new Deadlines();
    this.drivers = new DriverChoice(available);
    this.templates =
        new Templates(config.templateDirectory(), new TemplateBuilder(config.templates()), drivers);
    SandboxRows rows = new SandboxRows(store);
    this.lifecycle = new Lifecycle(config, store, rows, drivers, templates, deadlines);
    this.sandboxes = new Sandboxes(rows, lifecycle);
    this.keys = new ApiKeys(store);
    try {
      new Recovery(config, rows, drivers, lifecycle, templates).run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.reaping = deadlines.every(REAP_EVERY, "reaper", new Reaper(lifecycle, rows)::tick);
  }

  /**
   * Opens the engine on its data directory. No other engine may use the same directory.
   *
   * @param drivers the strongest boundary first
   */
  public static Engine open(EngineConfig config, List<Driver> drivers) {
    try {
      Files.createDirectories(
          config.dataDirectory(),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Store store = Store.open(config.dataDirectory().resolve("atoll.db"));
    boolean done = false;
    try {
      Engine engine = new Engine(config, store, drivers);
      done = true;
      return engine;
    } finally {
      if (!done) {
        store.close();
      }
    }
  }

  public Sandboxes sandboxes() {
    return sandboxes;
  }

  public ApiKeys keys() {
    return keys;
  }

  public Templates templates() {
    return templates;
  }

  public List<DriverReport> drivers() {
    return drivers.reports();
  }

  /** Whether a sandbox could be made now. */
  public boolean ready() {
    return drivers.first().isPresent();
  }

  @Override
  public void close() {
    reaping.cancel();
    deadlines.close();
    lifecycle.detach();
    store.close();
  }
}
