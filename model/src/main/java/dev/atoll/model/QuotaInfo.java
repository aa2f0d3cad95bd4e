package dev.atoll.model;

import java.util.List;

/**
 * The quotas of a project.
 *
 * @param own what was set for this project; the rest is as the server's settings say
 * @param quotas all of them, with what is used
 */
public record QuotaInfo(String project, QuotaLimits own, List<QuotaUsage> quotas) {
  public QuotaInfo {
    own = own == null ? QuotaLimits.unset() : own;
    quotas = quotas == null ? List.of() : List.copyOf(quotas);
  }

  /** One of them. */
  public QuotaUsage of(QuotaName name) {
    return quotas.stream().filter(usage -> usage.name() == name).findFirst().orElseThrow();
  }
}
