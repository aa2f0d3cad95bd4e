package dev.atoll.sdk;

import dev.atoll.model.NetworkInfo;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.NetworkRule;
import dev.atoll.model.NetworkRuleRequest;

/**
 * What a sandbox may reach. Changes take effect at once: connections that are no longer allowed are
 * closed.
 *
 * <p>Rules are texts such as {@code example.com}, {@code *.example.com:443}, {@code *:22} or {@code
 * 10.0.0.0/8:5432,8000-8100}; see {@link NetworkRule}. One that is none is an {@link
 * dev.atoll.model.AtollException} before anything is sent.
 */
public final class SandboxNetwork {
  private final Api api;
  private final String path;

  SandboxNetwork(Api api, String sandboxPath) {
    this.api = api;
    this.path = sandboxPath + "/network";
  }

  /** Its policy, what bounds that, and what it uses. */
  public NetworkInfo info() {
    return api.call(ApiRequest.get(path), NetworkInfo.class);
  }

  /**
   * Allows what a rule names, which is then no longer denied. In the modes {@code none} and {@code
   * open} that makes no difference.
   */
  public NetworkInfo allow(String rule) {
    return change("/allow", rule);
  }

  /** Denies what a rule names, whatever else allows it. */
  public NetworkInfo deny(String rule) {
    return change("/deny", rule);
  }

  /** Takes a rule out, whether it allowed or denied. */
  public NetworkInfo remove(String rule) {
    return change("/remove", rule);
  }

  /** Replaces the whole policy: {@code set(NetworkPolicy.of(NetworkMode.OPEN))}. */
  public NetworkInfo set(NetworkPolicy policy) {
    return api.call(ApiRequest.put(path).json(policy), NetworkInfo.class);
  }

  /** The same rule twice is one rule, so each of these may be sent again. */
  private NetworkInfo change(String operation, String rule) {
    ApiRequest request =
        ApiRequest.post(path + operation)
            .json(new NetworkRuleRequest(NetworkRule.parse(rule)))
            .harmlessToRepeat();
    return api.call(request, NetworkInfo.class);
  }
}
