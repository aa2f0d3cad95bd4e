package dev.atoll.cli;

import dev.atoll.model.Compilation;
import dev.atoll.model.MimeBundle;
import dev.atoll.model.RunError;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import dev.atoll.model.RunStatus;
import dev.atoll.sdk.RunStream;
import java.io.PrintStream;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Prints a run as it happens: the guest's bytes as they are, the last value as a notebook does. */
final class RunPrinter {
  private final Stdio stdio;
  private final boolean showResult;
  private final SavedImages images;
  private final ReplacedDisplays replaced;
  private final BooleanSupplier terminated;
  private final Consumer<RunEvent.InputRequest> questions;
  private boolean lineOpen;
  private long cut;

  RunPrinter(Stdio stdio, boolean showResult) {
    this(stdio, showResult, new SavedImages(stdio, null));
  }

  RunPrinter(Stdio stdio, boolean showResult, SavedImages images) {
    this(stdio, showResult, images, () -> false);
  }

  RunPrinter(Stdio stdio, boolean showResult, SavedImages images, BooleanSupplier terminated) {
    this(stdio, showResult, images, terminated, question -> {});
  }

  /**
   * @param terminated whether this program was told to end
   * @param questions takes what the code asks
   */
  RunPrinter(
      Stdio stdio,
      boolean showResult,
      SavedImages images,
      BooleanSupplier terminated,
      Consumer<RunEvent.InputRequest> questions) {
    this.terminated = terminated;
    this.questions = questions;
    this.stdio = stdio;
    this.showResult = showResult;
    this.images = images;
    this.replaced = new ReplacedDisplays(stdio);
  }

  /** Prints to the end and returns the exit code that it deserves. */
  int print(RunStream run) {
    int code = ExitCode.ATOLL_FAILED;
    for (RunEvent event : run) {
      if (event instanceof RunEvent.End end) {
        replaced.end(this::value);
        code = end(end);
      } else {
        print(event);
      }
    }
    images.tellOfUnsaved();
    return tellCut(code);
  }

  /** One line for all that is missing, and an exit code for scripts. */
  int tellCut(int code) {
    if (cut == 0) {
      return code;
    }
    stdio.message(cut + " bytes of output left out");
    return code == ExitCode.OK ? ExitCode.OUTPUT_CUT : code;
  }

  /** Prints the end's message and returns the exit code that it deserves. */
  static int end(RunResult result, Stdio stdio) {
    tell(result.status(), result.message(), stdio);
    return ExitCode.of(result.status(), result.exitCode());
  }

  /** Prints one event; the end is the caller's. */
  void print(RunEvent event) {
    replaced.makeWay(event);
    switch (event) {
      case RunEvent.Stdout output -> bytes(stdio.out(), output);
      case RunEvent.Stderr output -> bytes(stdio.err(), output);
      case RunEvent.Cut gap -> cut += gap.bytes();
      case RunEvent.Display display -> show(display);
      case RunEvent.Result result -> {
        if (showResult) {
          value(result.data());
        }
      }
      case RunEvent.Failure failure -> error(failure.error());
      case RunEvent.Started started -> {}
      case RunEvent.Packages packages -> {}
      case RunEvent.InputRequest question -> ask(question);
      case RunEvent.Ping ping -> {}
      case RunEvent.Compiled compiled -> compiler(compiled.compilation());
      case RunEvent.End end -> {}
    }
  }

  private void ask(RunEvent.InputRequest question) {
    questions.accept(question);
    if (stdio.inTerminal()) {
      // Who types ends the line.
      lineOpen = false;
    } else if (!question.asksPassword() && !question.prompt().isEmpty()) {
      lineOpen = !question.prompt().endsWith("\n");
    }
  }

  private void bytes(PrintStream to, RunEvent.Output output) {
    byte[] bytes = RunStream.bytes(output);
    to.write(bytes, 0, bytes.length);
    flush(to);
    if (output instanceof RunEvent.Stdout && bytes.length > 0) {
      lineOpen = bytes[bytes.length - 1] != '\n';
    }
  }

  /** A {@link PrintStream} keeps failures to itself. */
  private static void flush(PrintStream to) {
    if (to.checkError()) {
      throw new OutputClosedException();
    }
  }

  /** The compiler's words are for people; the program's own output stands alone. */
  private void compiler(Compilation compilation) {
    stdio.err().print(compilation.output());
    stdio.err().flush();
  }

  /** A terminal cannot take back what it has shown: what replaces something is shown at the end. */
  private void show(RunEvent.Display display) {
    if (display.replaces()) {
      replaced.update(display);
    } else if (display.clear() == null) {
      value(display.data());
    }
  }

  private void value(MimeBundle data) {
    images.take(data);
    String text = data.text();
    if (text.isEmpty() || text.equals("None")) {
      return;
    }
    if (lineOpen) {
      stdio.out().println();
      lineOpen = false;
    }
    stdio.out().println(text);
    flush(stdio.out());
  }

  private void error(RunError error) {
    stdio.out().flush();
    if (error.traceback().isEmpty()) {
      stdio.err().println(error.summary());
    }
    error.traceback().forEach(line -> stdio.err().println(line.stripTrailing()));
    stdio.err().flush();
  }

  private int end(RunEvent.End end) {
    if (terminated.getAsBoolean()) {
      stdio.message("terminated");
      return ExitCode.of(end.status(), end.exitCode());
    }
    tell(end.status(), end.message(), stdio);
    return ExitCode.of(end.status(), end.exitCode());
  }

  /** Says what a person should know more than the exit code. */
  static void tell(RunStatus status, @Nullable String message, Stdio stdio) {
    if (message != null) {
      stdio.message(OptionNames.translate(message));
    } else if (status == RunStatus.TIMEOUT) {
      stdio.message("the time was up");
    } else if (status != RunStatus.OK
        && status != RunStatus.ERROR
        && status != RunStatus.INTERRUPTED) {
      stdio.message("the run ended: " + status.wire().replace('_', ' '));
    }
  }
}
