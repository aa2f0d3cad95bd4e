package dev.atoll.sdk;

import dev.atoll.model.PortAccess;
import dev.atoll.model.ServiceUpdate;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What should change of a service, set in a lambda: {@code services().update("hello", s ->
 * s.min(1).max(5))}. What is not set stays as it is.
 */
public final class ServiceChanges {
  private @Nullable Integer min;
  private @Nullable Integer max;
  private @Nullable Double idleSeconds;
  private @Nullable Integer concurrency;
  private @Nullable PortAccess access;

  ServiceChanges() {}

  /** How many instances run although nobody asks. */
  public ServiceChanges min(int instances) {
    min = instances;
    return this;
  }

  /** How many instances there may be. */
  public ServiceChanges max(int instances) {
    max = instances;
    return this;
  }

  /** How long nobody may ask before an instance beyond {@link #min} ends. */
  public ServiceChanges idle(Duration time) {
    idleSeconds = Seconds.of(time);
    return this;
  }

  /** How many requests an instance answers at once. */
  public ServiceChanges concurrency(int requests) {
    concurrency = requests;
    return this;
  }

  /** Who may reach it. */
  public ServiceChanges access(PortAccess who) {
    access = who;
    return this;
  }

  ServiceUpdate update() {
    return new ServiceUpdate(min, max, idleSeconds, concurrency, access);
  }
}
