package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/**
 * Something that happened in the build of a template, in order; one line of an NDJSON stream. The
 * last one is {@link BuildReady} or {@link BuildFailed}.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(value = BuildEvent.BuildStarted.class, name = "started"),
  @JsonSubTypes.Type(value = BuildEvent.BuildStep.class, name = "progress"),
  @JsonSubTypes.Type(value = BuildEvent.BuildOutput.class, name = "output"),
  @JsonSubTypes.Type(value = BuildEvent.Ping.class, name = "ping"),
  @JsonSubTypes.Type(value = BuildEvent.BuildReady.class, name = "ready"),
  @JsonSubTypes.Type(value = BuildEvent.BuildFailed.class, name = "failed")
})
public sealed interface BuildEvent {

  /** The first event of a build that has an id, by which it can be cancelled and looked at. */
  record BuildStarted(String build, String template) implements BuildEvent {}

  /** A step begins, or was found in the cache. */
  record BuildStep(String message) implements BuildEvent {}

  /** A line that a step has printed. */
  record BuildOutput(String text) implements BuildEvent {}

  /** Nothing happened for a while; the connection is alive. */
  record Ping() implements BuildEvent {}

  /** The template can be used. */
  record BuildReady(TemplateInfo template) implements BuildEvent {}

  /** The build has failed or was cancelled; nothing of it is left but the steps that were done. */
  record BuildFailed(ErrorBody error) implements BuildEvent {}

  /** Whether nothing comes after it. */
  default boolean last() {
    return this instanceof BuildReady || this instanceof BuildFailed;
  }
}
