package dev.atoll.driver.testkit;

import dev.atoll.protocol.wire.Data;
import dev.atoll.protocol.wire.Exit;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Stream;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A program that runs in a guest, seen by a {@link GuestProbe}. */
public final class GuestProgram {
  private final GuestProbe probe;
  private final int channel;
  private final StringBuilder out = new StringBuilder();
  private final StringBuilder err = new StringBuilder();
  private @Nullable Exit exit;
  private int lineStart;

  /** What a program left behind. */
  public record Output(Exit exit, String out, String err) {
    public boolean succeeded() {
      return exit.getCode() == 0 && exit.getSignal() == 0;
    }
  }

  GuestProgram(GuestProbe probe, int channel) {
    this.probe = probe;
    this.channel = channel;
  }

  public int channel() {
    return channel;
  }

  public void write(String text) {
    probe.send(GuestProbe.data(channel, Stream.STDIN, text));
  }

  public void closeInput() {
    probe.send(GuestProbe.eof(channel, Stream.STDIN));
  }

  /** The next line on its standard output. */
  public String readLine() {
    String line = pollLine(GuestProbe.PATIENCE);
    if (line == null) {
      throw new AssertionError("no line; so far: " + out + err);
    }
    return line;
  }

  /** The next line, or null when none comes in time. */
  public @Nullable String pollLine(Duration patience) {
    int end = out.indexOf("\n", lineStart);
    while (end < 0) {
      Frame frame = exit == null ? probe.poll(channel, patience) : null;
      if (frame == null) {
        return null;
      }
      take(frame);
      end = out.indexOf("\n", lineStart);
    }
    String line = out.substring(lineStart, end);
    lineStart = end + 1;
    return line;
  }

  /** Writes a line and gives the line that comes back. */
  public String ask(String line) {
    write(line + "\n");
    return readLine();
  }

  public Output awaitExit() {
    Exit found = exit;
    while (found == null) {
      take(probe.next(channel));
      found = exit;
    }
    return new Output(found, out.toString(), err.toString());
  }

  private void take(Frame frame) {
    if (frame.hasExit()) {
      exit = frame.getExit();
    } else if (frame.hasData()) {
      Data data = frame.getData();
      (data.getStream() == Stream.STDERR ? err : out).append(data.getBytes().toStringUtf8());
    }
  }
}
