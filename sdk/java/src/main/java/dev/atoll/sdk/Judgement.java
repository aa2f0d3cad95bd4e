package dev.atoll.sdk;

import dev.atoll.model.CaseResult;
import dev.atoll.model.Compilation;
import dev.atoll.model.Json;
import dev.atoll.model.JudgeEvent;
import dev.atoll.model.JudgeRequest;
import dev.atoll.model.JudgeResult;
import dev.atoll.sdk.transport.HttpAnswer;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.exc.InvalidTypeIdException;

/** Has a program judged and reads how it does, case by case. */
final class Judgement {
  private static final ObjectReader READER = Json.lenient().readerFor(JudgeEvent.class);

  private final Consumer<CaseResult> listener;
  private final List<CaseResult> cases = new ArrayList<>();
  private @Nullable Compilation compilation;

  private Judgement(Consumer<CaseResult> listener) {
    this.listener = listener;
  }

  /**
   * @param path of the operation
   */
  static JudgeResult of(Api api, String path, JudgeRequest request, Consumer<CaseResult> listener) {
    ApiRequest call = ApiRequest.post(path).json(request).timeout(Programs.FIRST_ANSWER);
    try (HttpAnswer answer = api.open(call.accept(ApiRequest.NDJSON))) {
      return new Judgement(listener).read(new LineReader(answer.body()));
    } catch (IOException e) {
      throw Programs.broken(api, e);
    }
  }

  private JudgeResult read(LineReader lines) throws IOException {
    while (true) {
      byte[] line = lines.next();
      if (line == null) {
        throw new EOFException("the stream of events stopped before the verdict");
      }
      JudgeEvent event = line.length == 0 ? null : event(line);
      if (event instanceof JudgeEvent.Compiler compiler) {
        compilation = compiler.compilation();
      } else if (event instanceof JudgeEvent.CaseEnd one) {
        cases.add(one.result());
        listener.accept(one.result());
      } else if (event instanceof JudgeEvent.Broken broken) {
        throw new ApiException(broken.error(), null);
      } else if (event instanceof JudgeEvent.Judged end) {
        return new JudgeResult(end.verdict(), compilation, cases, end.passed(), end.total());
      }
    }
  }

  private static @Nullable JudgeEvent event(byte[] line) throws IOException {
    try {
      return READER.readValue(line);
    } catch (InvalidTypeIdException e) {
      // A kind of event that this version does not know.
      return null;
    } catch (JacksonException e) {
      throw new IOException("an event of the judging is not readable", e);
    }
  }
}
