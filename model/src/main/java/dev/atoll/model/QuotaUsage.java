package dev.atoll.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One quota of a project: its limit, and what takes it up. Memory and disk are in MiB.
 *
 * @param limit null when there is none
 * @param own whether it was set for this project; otherwise it is the server's
 * @param used may be more than the limit, which then only refuses what is new
 * @param kinds how much of it what kind of things take
 * @param users the largest, beginning with the largest
 */
public record QuotaUsage(
    QuotaName name,
    @Nullable Double limit,
    boolean own,
    double used,
    Map<String, Double> kinds,
    List<QuotaUser> users) {
  public QuotaUsage {
    kinds = kinds == null ? Map.of() : Map.copyOf(kinds);
    users = users == null ? List.of() : List.copyOf(users);
  }
}
