package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened in a run, in order; one line of an NDJSON stream. The last one is {@link
 * End}.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(value = RunEvent.Started.class, name = "started"),
  @JsonSubTypes.Type(value = RunEvent.Stdout.class, name = "stdout"),
  @JsonSubTypes.Type(value = RunEvent.Stderr.class, name = "stderr"),
  @JsonSubTypes.Type(value = RunEvent.Cut.class, name = "cut"),
  @JsonSubTypes.Type(value = RunEvent.Result.class, name = "result"),
  @JsonSubTypes.Type(value = RunEvent.Display.class, name = "display"),
  @JsonSubTypes.Type(value = RunEvent.Failure.class, name = "error"),
  @JsonSubTypes.Type(value = RunEvent.Ping.class, name = "ping"),
  @JsonSubTypes.Type(value = RunEvent.End.class, name = "end"),
  @JsonSubTypes.Type(value = RunEvent.Compiled.class, name = "compiled"),
  @JsonSubTypes.Type(value = RunEvent.Packages.class, name = "packages"),
  @JsonSubTypes.Type(value = RunEvent.InputRequest.class, name = "input_request")
})
public sealed interface RunEvent {

  /**
   * The first event: the run has an id by which it can be attached to, interrupted and cancelled.
   */
  record Started(String id, int pid) implements RunEvent {}

  /** Output; either as text or, when it is not UTF-8, as base64. */
  sealed interface Output extends RunEvent {
    /** Position of its first byte in the combined output of the run. */
    long offset();

    /** The output, if it is text. */
    @Nullable String text();

    /** The output, if it is not text. */
    @Nullable String base64();
  }

  /** Standard output, or everything that a terminal shows. */
  record Stdout(long offset, @Nullable String text, @Nullable String base64) implements Output {}

  /** Standard error. */
  record Stderr(long offset, @Nullable String text, @Nullable String base64) implements Output {}

  /**
   * Output was left out here: the run wrote more than its limit, or more than is kept for late
   * readers.
   */
  record Cut(long offset, long bytes) implements RunEvent {}

  /** The value of the last expression. */
  record Result(MimeBundle data) implements RunEvent {}

  /**
   * Something shown on the way.
   *
   * @param displayId the name by which it can be replaced later
   * @param update true when it takes the place of what was shown by that name
   * @param clear when all that the run has printed and shown so far goes away; such an event shows
   *     nothing itself
   */
  record Display(
      MimeBundle data,
      @Nullable String displayId,
      @Nullable Boolean update,
      @Nullable Clearing clear)
      implements RunEvent {
    /** What nothing will replace. */
    public Display(MimeBundle data) {
      this(data, null, null, null);
    }

    /** The same with other data. */
    public Display with(MimeBundle other) {
      return new Display(other, displayId, update, clear);
    }

    /** Whether it takes the place of something that was shown before. */
    public boolean replaces() {
      return displayId != null && Boolean.TRUE.equals(update);
    }
  }

  /** When what was shown goes away. */
  enum Clearing {
    /** At once. */
    NOW,
    /** As soon as something else is printed or shown. */
    NEXT;

    /** The value of that wire name. */
    @JsonCreator
    public static Clearing of(String wire) {
      return wire.equals("next") ? NEXT : NOW;
    }

    /** The lower-case name on the wire. */
    @JsonValue
    public String wire() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** An exception ended the run. */
  record Failure(RunError error) implements RunEvent {}

  /**
   * What an installation of packages has come to; the event before {@link End}.
   *
   * @param installed as in {@link PackagesResult}; after a failure what was installed all the same
   * @param failure null when all went well
   */
  record Packages(
      Installer manager, List<InstalledPackage> installed, @Nullable PackageFailure failure)
      implements RunEvent {
    public Packages {
      installed = installed == null ? List.of() : List.copyOf(installed);
    }
  }

  /**
   * The code asks and waits for an answer, as {@code input()} does. Only of a run that was begun
   * with {@code answersInput}. Who comes late is told of the question that waits alone.
   *
   * @param id by which it is answered
   * @param prompt what it asks; not in the output. Empty where code just reads its standard input
   * @param password true when the answer is not to be shown while it is typed
   */
  record InputRequest(String id, String prompt, @Nullable Boolean password) implements RunEvent {
    /** Whether the answer is not to be shown while it is typed. */
    public boolean asksPassword() {
      return Boolean.TRUE.equals(password);
    }
  }

  /** Nothing happened for a while; the connection is alive. */
  record Ping() implements RunEvent {}

  /**
   * The last event.
   *
   * @param exitCode as a shell would report it: 128 plus the signal's number when a signal ended it
   * @param message what a person should know about this end, when it was not a plain one
   */
  record End(
      RunStatus status,
      int exitCode,
      @Nullable String signal,
      long durationMillis,
      @Nullable Long cpuMillis,
      @Nullable Long maxRssBytes,
      long outputBytes,
      @Nullable String message)
      implements RunEvent {}

  /** The compiler has ended; what it made runs next if it succeeded. Only of one-shot programs. */
  record Compiled(Compilation compilation) implements RunEvent {}
}
