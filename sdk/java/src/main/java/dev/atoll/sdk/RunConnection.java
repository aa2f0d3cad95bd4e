package dev.atoll.sdk;

import dev.atoll.model.Json;
import dev.atoll.model.RunEvent;
import dev.atoll.sdk.transport.HttpAnswer;
import java.io.EOFException;
import java.io.IOException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.exc.InvalidTypeIdException;

/** One connection on which the events of a run arrive. */
final class RunConnection implements AutoCloseable {
  private static final ObjectReader READER = Json.lenient().readerFor(RunEvent.class);

  private final HttpAnswer answer;
  private final LineReader lines;

  RunConnection(HttpAnswer answer) {
    this.answer = answer;
    this.lines = new LineReader(answer.body());
  }

  /** The next event that means something; the end of the stream is a failure. */
  RunEvent next() throws IOException {
    while (true) {
      byte[] line = lines.next();
      if (line == null) {
        throw new EOFException("the stream of events stopped before the end of the run");
      }
      if (line.length == 0) {
        continue;
      }
      try {
        RunEvent event = READER.readValue(line);
        if (!(event instanceof RunEvent.Ping)) {
          return event;
        }
      } catch (InvalidTypeIdException e) {
        // A kind of event that this version does not know.
      } catch (JacksonException e) {
        throw new IOException("an event of the run is not readable", e);
      }
    }
  }

  @Override
  public void close() {
    answer.close();
  }
}
