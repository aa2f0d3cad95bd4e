package dev.atoll.engine;

import dev.atoll.driver.Driver;
import dev.atoll.model.DriverReport;
import java.util.List;

/** The engine. */
public final class Engine implements AutoCloseable {
  private Engine() {}
  public static Engine open(EngineConfig config, List<Driver> drivers) { throw new UnsupportedOperationException(); }
  public Sandboxes sandboxes() { throw new UnsupportedOperationException(); }
  public ApiKeys keys() { throw new UnsupportedOperationException(); }
  public Templates templates() { throw new UnsupportedOperationException(); }
  public List<DriverReport> drivers() { throw new UnsupportedOperationException(); }
  public boolean ready() { throw new UnsupportedOperationException(); }
  @Override public void close() { throw new UnsupportedOperationException(); }
}
