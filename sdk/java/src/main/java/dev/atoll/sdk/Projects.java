package dev.atoll.sdk;

import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.ProjectNetworkInfo;
import dev.atoll.model.QuotaInfo;
import dev.atoll.model.QuotaLimits;
import java.util.List;

/**
 * What holds for all that a project has. A key sees its own project; other projects, and all
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

  /** How much the project of the key may have, and what it has. */
  public QuotaInfo quota() {
    return api.call(ApiRequest.get("/v1/quota"), QuotaInfo.class);
  }

  /** How much a project may have, and what it has. */
  public QuotaInfo quota(String project) {
    return api.call(ApiRequest.get(quotaPath(project)), QuotaInfo.class);
  }

  /** The same for every project, which needs the key of an administrator. */
  public List<QuotaInfo> quotas() {
    return api.page(ApiRequest.get("/v1/quotas"), QuotaInfo.class).items();
  }

  /**
   * Says how much a project may have, in place of all that was set for it before. What it has
   * already stays, whatever the limits: they only refuse what is new.
   */
  public QuotaInfo setQuota(String project, QuotaLimits limits) {
    return api.call(ApiRequest.put(quotaPath(project)).json(limits), QuotaInfo.class);
  }

  /** Lets the server's settings hold for a project again. */
  public QuotaInfo clearQuota(String project) {
    return api.call(ApiRequest.delete(quotaPath(project)), QuotaInfo.class);
  }

  private static String quotaPath(String project) {
    return "/v1/projects/" + ApiRequest.segment(project) + "/quota";
  }

  private static String path(String project) {
    return "/v1/projects/" + ApiRequest.segment(project) + "/network";
  }
}
