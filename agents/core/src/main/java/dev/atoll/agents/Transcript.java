package dev.atoll.agents;

import dev.atoll.model.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What an agent did, from beginning to end. On disk it is a file of JSON lines, one event each,
 * which is complete up to the last thing that happened also when the program was killed.
 */
public record Transcript(List<AgentEvent> events) {
  /** Copies. */
  public Transcript {
    events = List.copyOf(events);
  }

  /** A transcript that was saved. */
  public static Transcript read(Path file) {
    try (Stream<String> lines = Files.lines(file)) {
      return new Transcript(
          lines
              .filter(line -> !line.isBlank())
              .map(line -> Json.lenient().readValue(line, AgentEvent.class))
              .toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Saves all of it. */
  public void save(Path file) {
    String lines = events.stream().map(Transcript::line).collect(Collectors.joining());
    try {
      Files.writeString(file, lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String line(AgentEvent event) {
    return Json.lenient().writeValueAsString(event) + "\n";
  }

  /**
   * A model that says what the model of this transcript said, reply by reply. With it the same
   * agent does the same again in a new sandbox, without a model.
   */
  public Model replay() {
    return new ReplayModel(events);
  }

  /** As a person reads it. */
  public String text() {
    return events.stream().map(TranscriptText::of).collect(Collectors.joining());
  }
}
