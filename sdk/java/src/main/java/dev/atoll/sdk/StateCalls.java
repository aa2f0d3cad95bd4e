package dev.atoll.sdk;

import dev.atoll.model.ForkRequest;
import dev.atoll.model.ForkResult;
import dev.atoll.model.MergeRequest;
import dev.atoll.model.RewindRequest;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotRequest;
import dev.atoll.model.StateDiff;
import dev.atoll.model.StateTree;
import java.time.Duration;

/**
 * The calls that keep, copy and restore the state of a sandbox.
 *
 * <p>A snapshot, a fork, a merge and a rewind are not sent again when their outcome is unknown: the
 * second would make a second state, or go back twice as far.
 *
 * @param path of the sandbox
 */
record StateCalls(Api api, String path) {
  /** Gigabytes of memory may have to be written or read. */
  private static final Duration STATE_TIME = Duration.ofMinutes(15);

  SnapshotInfo snapshot(SnapshotRequest request) {
    return api.call(post("/snapshots").json(request), SnapshotInfo.class);
  }

  ForkResult fork(ForkRequest request) {
    return api.call(post("/fork").json(request), ForkResult.class);
  }

  SandboxInfo merge(MergeRequest request) {
    return api.call(post("/merge").json(request), SandboxInfo.class);
  }

  SandboxInfo rewind(RewindRequest request) {
    return api.call(post("/rewind").json(request), SandboxInfo.class);
  }

  StateTree tree() {
    return api.call(ApiRequest.get(path + "/tree"), StateTree.class);
  }

  SandboxInfo hibernate() {
    return api.call(post("/hibernate").harmlessToRepeat(), SandboxInfo.class);
  }

  SandboxInfo wake() {
    return api.call(post("/wake").harmlessToRepeat(), SandboxInfo.class);
  }

  static StateDiff diff(Api api, String from, String to) {
    return api.call(
        ApiRequest.get("/v1/diff").query("from", from).query("to", to).timeout(STATE_TIME),
        StateDiff.class);
  }

  private ApiRequest post(String operation) {
    return ApiRequest.post(path + operation).timeout(STATE_TIME);
  }
}
