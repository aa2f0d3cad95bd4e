package dev.atoll.cli;

import dev.atoll.model.ErrorCode;
import dev.atoll.model.RunEvent;
import dev.atoll.sdk.ApiException;
import dev.atoll.sdk.RunStream;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers what code asks with lines of standard input, which is read when it asks and not before. A
 * person at a terminal types passwords unseen.
 *
 * <p>A thread of its own reads, since nothing wakes a read when the run has ended meanwhile.
 */
final class LineAnswers implements Consumer<RunEvent.InputRequest>, AutoCloseable {
  /** More than an answer may have, so that the server says so. */
  private static final int MOST_BYTES = 64 << 10;

  private final Stdio stdio;
  private final RunStream run;
  private final PrintStream prompts;
  private final InputStream in;
  private final BlockingQueue<RunEvent.InputRequest> asked = new LinkedBlockingQueue<>();
  private @Nullable LocalTerminal silent;
  private @Nullable Thread reader;
  private boolean closed;

  /**
   * @param plain whether standard output is for the program alone, so that prompts belong there
   */
  LineAnswers(Stdio stdio, RunStream run, boolean plain) {
    this.stdio = stdio;
    this.run = run;
    this.prompts = plain ? stdio.out() : stdio.err();
    this.in = new BufferedInputStream(stdio.in());
  }

  @Override
  public void accept(RunEvent.InputRequest question) {
    PrintStream to = question.asksPassword() ? stdio.err() : prompts;
    stdio.out().flush();
    to.print(question.prompt());
    to.flush();
    if (reader == null) {
      reader = new Thread(this::answer, "atoll-answers");
      reader.setDaemon(true);
      reader.start();
    }
    asked.add(question);
  }

  private void answer() {
    try {
      while (true) {
        RunEvent.InputRequest question = asked.take();
        give(question, question.asksPassword() && stdio.inTerminal() ? unseen() : line());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void give(RunEvent.InputRequest question, @Nullable String line) {
    try {
      if (line == null) {
        run.endInput(question);
      } else {
        run.answer(question, line);
      }
    } catch (ApiException e) {
      if (e.code() == ErrorCode.INPUT_NOT_AWAITED) {
        return;
      }
      stdio.message("the answer was not taken: " + e.getMessage());
      if (line != null) {
        give(question, null);
      }
    }
  }

  private @Nullable String unseen() {
    if (!hide()) {
      return null;
    }
    try {
      return line();
    } finally {
      show();
    }
  }

  private synchronized boolean hide() {
    silent = closed ? null : LocalTerminal.silent();
    return !closed;
  }

  private synchronized void show() {
    LocalTerminal terminal = silent;
    silent = null;
    if (terminal != null) {
      terminal.close();
      stdio.err().println();
      stdio.err().flush();
    }
  }

  /** The next line without its end; null when there is none. */
  private @Nullable String line() {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    try {
      int next = in.read();
      if (next < 0) {
        return null;
      }
      for (; next >= 0 && next != '\n' && line.size() < MOST_BYTES; next = in.read()) {
        line.write(next);
      }
    } catch (IOException e) {
      return null;
    }
    String text = line.toString(StandardCharsets.UTF_8);
    return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
  }

  /** The run is over: the terminal is as it was, whatever is being typed. */
  @Override
  public synchronized void close() {
    closed = true;
    show();
  }
}
