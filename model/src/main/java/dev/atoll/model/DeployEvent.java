package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/**
 * Something that happened in a deployment of a service, in order; one line of an NDJSON stream. The
 * last one is {@link Deployed} or {@link DeployFailed}.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(value = DeployEvent.DeployStep.class, name = "progress"),
  @JsonSubTypes.Type(value = DeployEvent.DeployOutput.class, name = "output"),
  @JsonSubTypes.Type(value = DeployEvent.DeployPing.class, name = "ping"),
  @JsonSubTypes.Type(value = DeployEvent.Deployed.class, name = "ready"),
  @JsonSubTypes.Type(value = DeployEvent.DeployFailed.class, name = "failed")
})
public sealed interface DeployEvent {

  /** A step begins. */
  record DeployStep(String message) implements DeployEvent {}

  /** A line that a command of the deployment, or the program, has printed. */
  record DeployOutput(String text) implements DeployEvent {}

  /** Nothing happened for a while; the connection is alive. */
  record DeployPing() implements DeployEvent {}

  /** Requests go to the new revision. */
  record Deployed(ServiceInfo service) implements DeployEvent {}

  /** The deployment has failed; what served before goes on. */
  record DeployFailed(ErrorBody error) implements DeployEvent {}

  /** Whether nothing comes after it. */
  default boolean last() {
    return this instanceof Deployed || this instanceof DeployFailed;
  }
}
