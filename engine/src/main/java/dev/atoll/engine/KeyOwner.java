package dev.atoll.engine;

/**
 * Who a key stands for.
 *
 * @param administrator whether it may do what concerns more than its own project
 */
public record KeyOwner(String project, boolean administrator) {}
