package dev.atoll.model;

/** A language context of a sandbox. */
public record ContextInfo(String name, String language, int pid, boolean busy, boolean alive) {}
