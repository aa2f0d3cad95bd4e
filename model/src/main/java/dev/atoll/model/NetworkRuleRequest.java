package dev.atoll.model;

/**
 * A rule to be added to a policy.
 *
 * @param rule in its text form, see {@link NetworkRule}
 */
public record NetworkRuleRequest(NetworkRule rule) {
  public NetworkRuleRequest {
    Check.that(rule != null, "rule", "must be given");
  }
}
