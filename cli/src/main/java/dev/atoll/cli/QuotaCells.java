package dev.atoll.cli;

import dev.atoll.model.QuotaInfo;
import dev.atoll.model.QuotaName;
import dev.atoll.model.QuotaUsage;
import dev.atoll.model.QuotaUser;
import java.util.stream.Collectors;

/** Quotas for people. */
final class QuotaCells {
  private static final int SHOWN = 3;

  private QuotaCells() {}

  static String amount(QuotaName quota, double amount) {
    if (quota == QuotaName.MEMORY || quota == QuotaName.DISK) {
      return Bytes.brief(Math.round(amount * (1 << 20)));
    }
    return amount == Math.rint(amount) ? Long.toString((long) amount) : Double.toString(amount);
  }

  static String limit(QuotaUsage usage) {
    Double limit = usage.limit();
    return limit == null ? "unlimited" : amount(usage.name(), limit);
  }

  /** What is used of what there may be. */
  static String brief(QuotaUsage usage) {
    String used = amount(usage.name(), usage.used());
    return usage.limit() == null ? used : used + " of " + limit(usage);
  }

  static Table table(QuotaInfo info) {
    Table table = new Table("QUOTA", "USED", "LIMIT", "SET FOR", "MOST OF IT BY");
    for (QuotaUsage usage : info.quotas()) {
      table.row(
          usage.name().wire(),
          amount(usage.name(), usage.used()),
          limit(usage),
          usage.own() ? info.project() : "all",
          usage.users().stream()
              .limit(SHOWN)
              .map(user -> user(usage.name(), user))
              .collect(Collectors.joining(", ")));
    }
    return table;
  }

  private static String user(QuotaName quota, QuotaUser user) {
    return "%s %s (%s)"
        .formatted(
            user.kind(),
            user.name() == null ? user.id() : user.name(),
            amount(quota, user.amount()));
  }
}
