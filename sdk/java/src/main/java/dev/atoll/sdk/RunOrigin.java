package dev.atoll.sdk;

import dev.atoll.model.InputAnswer;

/** Where the events of a run come from, for the first time and after a broken connection. */
record RunOrigin(Api api, String sandboxPath) {

  /** Starts the run, or attaches to it. */
  RunConnection open(ApiRequest first) {
    return new RunConnection(api.open(first.accept(ApiRequest.NDJSON)));
  }

  /**
   * The events of a run from an output offset on.
   *
   * @param holds whether the run is to wait for whoever reads them
   */
  ApiRequest events(String runId, long from, boolean holds) {
    ApiRequest events = ApiRequest.get(runPath(runId) + "/events").query("from", from);
    return (holds ? events.query("hold", true) : events).accept(ApiRequest.NDJSON);
  }

  /** An answer counts once: a repeated one is refused. */
  void answer(String runId, InputAnswer answer) {
    api.send(ApiRequest.post(runPath(runId) + "/input").json(answer).harmlessToRepeat());
  }

  void cancel(String runId) {
    api.evenIfInterrupted(() -> api.send(ApiRequest.post(runPath(runId) + "/cancel")));
  }

  private String runPath(String runId) {
    return sandboxPath + "/runs/" + ApiRequest.segment(runId);
  }
}
