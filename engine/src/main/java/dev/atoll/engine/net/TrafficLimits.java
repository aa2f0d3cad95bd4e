package dev.atoll.engine.net;

/**
 * How much of the network one sandbox, or all sandboxes of a project together, may use.
 *
 * @param connections open at once
 * @param bytesPerDay both ways, since midnight UTC
 * @param bytesPerSecond both ways; more is held back, not refused
 * @param queriesPerMinute questions about names, those that connections ask among them
 * @param newNamesPerHour weight of names not asked for before; a plain name weighs 1, one with long
 *     labels more, see {@link NameWeight}
 */
public record TrafficLimits(
    int connections,
    long bytesPerDay,
    long bytesPerSecond,
    int queriesPerMinute,
    int newNamesPerHour) {
  public TrafficLimits {
    if (connections < 1
        || bytesPerDay < 1
        || bytesPerSecond < 1
        || queriesPerMinute < 1
        || newNamesPerHour < 1) {
      throw new IllegalArgumentException("limits of the network must be positive");
    }
  }

  /** 512 connections, 50 GiB a day, 100 MiB/s, 600 questions a minute, 2000 new names an hour. */
  public static TrafficLimits ofSandbox() {
    return new TrafficLimits(512, 50L << 30, 100L << 20, 600, 2000);
  }

  /** Eight times as much as a sandbox. */
  public static TrafficLimits ofProject() {
    return new TrafficLimits(4096, 400L << 30, 800L << 20, 4800, 16_000);
  }
}
