package dev.atoll.agents.tools;

/**
 * A call that a model asks for.
 *
 * @param id by which the model knows it
 * @param arguments JSON as the model wrote it, which may be anything
 */
public record ToolCall(String id, String name, String arguments) {}
