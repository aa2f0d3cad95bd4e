package dev.atoll.sdk;

import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.ProjectNetworkInfo;

/**
 * What holds for all sandboxes of a project. A key sees its own project; other projects, and all
 * changes, need the key of an administrator, which is the one in {@code admin.key}.
 */
public final class Projects {
  private final Api api;

  Projects(Api api) {
    this.api = api;
  }

  /** What the project's sandboxes cannot exceed on the network, and what they use. */
  public ProjectNetworkInfo network(String project) {
    return api.call(ApiRequest.get(path(project)), ProjectNetworkInfo.class);
  }

  /**
   * Bounds what the policies of the project's sandboxes can allow, in place of the server's own
   * ceiling. Takes effect at once, on open connections too.
   */
  public ProjectNetworkInfo setCeiling(String project, NetworkPolicy ceiling) {
    return api.call(ApiRequest.put(path(project)).json(ceiling), ProjectNetworkInfo.class);
  }

  /** Puts the project under the server's own ceiling again. */
  public ProjectNetworkInfo resetCeiling(String project) {
    return api.call(ApiRequest.delete(path(project)), ProjectNetworkInfo.class);
  }

  private static String path(String project) {
    return "/v1/projects/" + ApiRequest.segment(project) + "/network";
  }
}
