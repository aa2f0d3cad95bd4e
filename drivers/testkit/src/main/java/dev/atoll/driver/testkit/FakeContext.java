package dev.atoll.driver.testkit;

import com.google.protobuf.ByteString;
import dev.atoll.model.Json;
import dev.atoll.protocol.wire.Answer;
import dev.atoll.protocol.wire.Done;
import dev.atoll.protocol.wire.Execute;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Result;
import dev.atoll.protocol.wire.Stream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A kernel of a fake guest. It understands lines of these forms and nothing else: {@code x = E},
 * {@code print(E)}, {@code print(E, file=sys.stderr)}, {@code raise Name('text')}, {@code
 * sleep(S)}, {@code time.sleep(S)}, {@code x = input('prompt')}, {@code x = getpass('prompt')},
 * {@code while True: pass}, {@code import …}, {@code exit()}, and an expression E, which gives a
 * result when it is the last line; see {@link FakeExpression}.
 */
final class FakeContext implements FakeJob {
  private static final Pattern ASSIGNMENT = Pattern.compile("(\\w+)\\s*=(?!=)\\s*(.+)");
  private static final Pattern PRINT =
      Pattern.compile("print\\((.*?)(,\\s*file\\s*=\\s*sys\\.stderr)?\\)");
  private static final Pattern RAISE = Pattern.compile("raise (\\w+)\\((.*)\\)");
  private static final Pattern SLEEP = Pattern.compile("(?:time\\.)?sleep\\(([\\d.]+)\\)");

  private static final Pattern QUESTION =
      Pattern.compile("(\\w+)\\s*=\\s*(input|getpass)\\('(.*)'\\)");

  /** A language whose kernel cannot ask questions, as those of earlier versions. */
  static final String SILENT = "bash";

  private final boolean asks;
  private final TreeMap<String, Object> variables = new TreeMap<>();
  private final Deque<String> lines = new ArrayDeque<>();
  private byte[] code = new byte[0];
  private boolean answers;
  private int questions;
  private String variable = "";
  private @Nullable TreeMap<String, Object> question;

  FakeContext(boolean asks) {
    this.asks = asks;
  }

  boolean asks() {
    return asks;
  }

  void execute(FakeGuest guest, FakeChannel channel, Execute execute) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(code);
    all.writeBytes(execute.getChunk().toByteArray());
    code = all.toByteArray();
    if (!execute.getLast()) {
      return;
    }
    lines.clear();
    new String(code, StandardCharsets.UTF_8).lines().filter(l -> !l.isBlank()).forEach(lines::add);
    code = new byte[0];
    answers = execute.getAnswers();
    channel.execution = execute.getExecution();
    channel.offset = 0;
    proceed(guest, channel);
  }

  void answer(FakeGuest guest, FakeChannel channel, Answer answer) {
    TreeMap<String, Object> asked = question;
    if (channel.execution == 0
        || channel.execution != answer.getExecution()
        || asked == null
        || questions != answer.getNumber()) {
      return;
    }
    question = null;
    result(
        guest, channel, Result.Kind.QUESTION, Map.of("number", answer.getNumber(), "over", true));
    if (answer.getEnd()) {
      fail(guest, channel, "EOFError", "EOF when reading a line");
      return;
    }
    variables.put(variable, answer.getText().toStringUtf8());
    proceed(guest, channel);
  }

  @Override
  public void restored(FakeGuest guest, FakeChannel channel) {
    TreeMap<String, Object> asked = question;
    if (asked != null) {
      result(guest, channel, Result.Kind.QUESTION, asked);
    }
  }

  private void ask(FakeGuest guest, FakeChannel channel, Matcher line) {
    if (!answers) {
      throw new FakeExpression.Failure("EOFError", "stdin is not available");
    }
    variable = line.group(1);
    TreeMap<String, Object> asked = new TreeMap<>();
    asked.put("number", ++questions);
    asked.put("prompt", line.group(3));
    asked.put("password", line.group(2).equals("getpass"));
    question = asked;
    result(guest, channel, Result.Kind.QUESTION, asked);
  }

  void interrupt(FakeGuest guest, FakeChannel channel) {
    if (channel.execution != 0) {
      question = null;
      channel.sleepNanos = -1;
      fail(guest, channel, "KeyboardInterrupt", "");
    }
  }

  @Override
  public void awake(FakeGuest guest, FakeChannel channel) {
    proceed(guest, channel);
  }

  /** Runs line after line until the end, or until one of them has to wait. */
  private void proceed(FakeGuest guest, FakeChannel channel) {
    try {
      for (String line = lines.poll(); line != null; line = lines.poll()) {
        if (!step(guest, channel, line.strip(), lines.isEmpty())) {
          return;
        }
      }
      finish(guest, channel);
    } catch (FakeExpression.Failure e) {
      fail(guest, channel, e.name, String.valueOf(e.getMessage()));
    }
  }

  /** False when the execution waits, or is over. */
  private boolean step(FakeGuest guest, FakeChannel channel, String line, boolean last) {
    Matcher print = PRINT.matcher(line);
    Matcher raise = RAISE.matcher(line);
    Matcher sleep = SLEEP.matcher(line);
    Matcher assignment = ASSIGNMENT.matcher(line);
    Matcher asking = QUESTION.matcher(line);
    if (line.startsWith("import ") || line.startsWith("#")) {
      return true;
    } else if (line.equals("while True: pass")) {
      return false;
    } else if (line.equals("exit()")) {
      guest.exit(channel, 0);
      return false;
    } else if (asking.matches()) {
      ask(guest, channel, asking);
      return false;
    } else if (sleep.matches()) {
      guest.sleep(channel, Duration.ofMillis((long) (Double.parseDouble(sleep.group(1)) * 1000)));
      return false;
    } else if (raise.matches()) {
      Object value = raise.group(2).isBlank() ? "" : evaluate(raise.group(2));
      throw new FakeExpression.Failure(raise.group(1), String.valueOf(value));
    } else if (print.matches()) {
      Stream stream = print.group(2) == null ? Stream.STDOUT : Stream.STDERR;
      guest.print(channel, stream, evaluate(print.group(1)) + "\n");
    } else if (assignment.matches()) {
      variables.put(assignment.group(1), evaluate(assignment.group(2)));
    } else {
      Object value = evaluate(line);
      if (last) {
        result(
            guest,
            channel,
            Result.Kind.RESULT,
            Map.of("text/plain", FakeExpression.display(value)));
      }
    }
    return true;
  }

  private Object evaluate(String expression) {
    return FakeExpression.evaluate(expression, variables);
  }

  private void fail(FakeGuest guest, FakeChannel channel, String name, String value) {
    List<String> traceback =
        List.of("Traceback (most recent call last):", value.isEmpty() ? name : name + ": " + value);
    result(
        guest,
        channel,
        Result.Kind.ERROR,
        Map.of("name", name, "value", value, "traceback", traceback));
    finish(guest, channel);
  }

  private static void result(
      FakeGuest guest, FakeChannel channel, Result.Kind kind, Map<String, Object> json) {
    Result.Builder result =
        Result.newBuilder()
            .setExecution(channel.execution)
            .setKind(kind)
            .setChunk(ByteString.copyFrom(Json.strict().writeValueAsBytes(json)))
            .setLast(true);
    channel.send(guest.output(), Frame.newBuilder().setResult(result));
  }

  private void finish(FakeGuest guest, FakeChannel channel) {
    lines.clear();
    Done.Builder done = Done.newBuilder().setExecution(channel.execution);
    channel.execution = 0;
    channel.send(guest.output(), Frame.newBuilder().setDone(done));
  }
}
