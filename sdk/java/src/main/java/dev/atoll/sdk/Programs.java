package dev.atoll.sdk;

import dev.atoll.model.Compilation;
import dev.atoll.model.ExecuteRequest;
import dev.atoll.model.ExecuteResult;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sends programs that run once. The events keep the connection alive, however long it takes. */
final class Programs {
  /** The first answer may have to wait for a template to be built. */
  static final Duration FIRST_ANSWER = Duration.ofMinutes(15);

  private final Api api;

  Programs(Api api) {
    this.api = api;
  }

  ExecuteResult execute(ExecuteRequest request, Consumer<RunEvent> listener) {
    ApiRequest call = ApiRequest.post("/v1/execute").json(request).timeout(FIRST_ANSWER);
    try (RunConnection connection = new RunConnection(api.open(call.accept(ApiRequest.NDJSON)))) {
      Gathering gathering = new Gathering();
      RunEvent event;
      do {
        event = connection.next();
        listener.accept(event);
        gathering.add(event);
      } while (!(event instanceof RunEvent.End));
      return gathering.result();
    } catch (IOException e) {
      throw broken(api, e);
    }
  }

  static ApiException broken(Api api, IOException e) {
    if (Thread.currentThread().isInterrupted()) {
      return new CallInterruptedException(e);
    }
    return new ConnectionException(
        "the connection to " + api.endpoint().url() + " broke while the program ran",
        "the program has ended with it; send it again",
        e);
  }

  private static final class Gathering {
    private final RunCollector run = new RunCollector("");
    private @Nullable Compilation compilation;

    void add(RunEvent event) {
      run.add(event);
      if (event instanceof RunEvent.Compiled compiled) {
        compilation = compiled.compilation();
      }
    }

    ExecuteResult result() {
      RunResult whole = run.result();
      return new ExecuteResult(
          whole.status(),
          whole.exitCode(),
          whole.signal(),
          whole.stdout(),
          whole.stderr(),
          compilation,
          whole.cutBytes(),
          whole.durationMillis(),
          whole.cpuMillis(),
          whole.maxRssBytes(),
          whole.message());
    }
  }
}
