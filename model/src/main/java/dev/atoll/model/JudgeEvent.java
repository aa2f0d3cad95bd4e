package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/**
 * Something that happened while a program is judged, in order; one line of an NDJSON stream. The
 * last one is {@link Judged} or {@link Broken}.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(value = JudgeEvent.Compiler.class, name = "compiled"),
  @JsonSubTypes.Type(value = JudgeEvent.CaseEnd.class, name = "case"),
  @JsonSubTypes.Type(value = JudgeEvent.Alive.class, name = "ping"),
  @JsonSubTypes.Type(value = JudgeEvent.Judged.class, name = "judged"),
  @JsonSubTypes.Type(value = JudgeEvent.Broken.class, name = "failed")
})
public sealed interface JudgeEvent {

  /** The compiler has ended. */
  record Compiler(Compilation compilation) implements JudgeEvent {}

  /** A case has ended. */
  record CaseEnd(CaseResult result) implements JudgeEvent {}

  /** Nothing happened for a while; the connection is alive. */
  record Alive() implements JudgeEvent {}

  /** The last event: how it did, without the cases, which have been told. */
  record Judged(Verdict verdict, int passed, int total) implements JudgeEvent {}

  /** The last event if it could not be judged. */
  record Broken(ErrorBody error) implements JudgeEvent {}
}
