package dev.atoll.model;

/**
 * A sandbox in which a service's program runs.
 *
 * @param sandbox its id
 * @param name its name, by which it is found among the sandboxes
 * @param inFlight how many requests it has now
 * @param restarts how often its program was started again
 */
public record ServiceInstance(
    String sandbox, String name, int revision, InstanceState state, int inFlight, int restarts) {}
