package dev.atoll.engine.quota;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.QuotaName;
import dev.atoll.model.QuotaUser;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What a project is told that has no more of something. */
final class Refusal {
  private static final int SHOWN = 5;

  private Refusal() {}

  /**
   * @param now what takes the quota up
   * @param wanted how much more was asked for
   */
  static AtollException of(
      String project, QuotaName quota, double limit, Tally now, double wanted) {
    double used = Tally.rounded(now.used(quota));
    List<QuotaUser> users = now.users(quota, SHOWN);
    Map<String, Object> details = new HashMap<>();
    details.put("quota", quota.wire());
    details.put("limit", limit);
    details.put("used", used);
    details.put("wanted", Tally.rounded(wanted));
    details.put("users", users.stream().map(Refusal::describe).toList());
    return new AtollException(
        ErrorCode.QUOTA_EXCEEDED,
        "the project's quota %s is %s, of which %s are used%s"
            .formatted(quota.wire(), amount(quota, limit), amount(quota, used), most(quota, users)),
        "%s, or ask an administrator for more: atoll quota set %s --%s N"
            .formatted(remedy(quota), project, quota.wire()),
        details,
        null);
  }

  private static String most(QuotaName quota, List<QuotaUser> users) {
    return users.isEmpty()
        ? ""
        : users.stream()
            .map(user -> name(user) + " (" + amount(quota, user.amount()) + ")")
            .collect(Collectors.joining(", ", ", most of it by ", ""));
  }

  private static String name(QuotaUser user) {
    return user.kind() + " " + (user.name() == null ? user.id() : user.name());
  }

  private static Map<String, Object> describe(QuotaUser user) {
    return user.name() == null
        ? Map.of("kind", user.kind(), "id", user.id(), "amount", user.amount())
        : Map.of(
            "kind", user.kind(), "id", user.id(), "name", user.name(), "amount", user.amount());
  }

  private static String amount(QuotaName quota, double amount) {
    String number =
        amount == Math.rint(amount) ? Long.toString((long) amount) : Double.toString(amount);
    return quota == QuotaName.MEMORY || quota == QuotaName.DISK ? number + " MiB" : number;
  }

  private static String remedy(QuotaName quota) {
    return switch (quota) {
      case SANDBOXES -> "end some of them";
      case MEMORY, CPUS -> "end or hibernate some of them";
      case DISK -> "delete snapshots, templates or sandboxes";
      case POOLS -> "delete a pool";
      case WARM -> "let a pool keep fewer ready";
      case SERVICES -> "delete a service";
      case REQUESTS_PER_SECOND -> "wait";
    };
  }

  /** For requests, which are over as soon as they are made. */
  static AtollException tooFast(String project, double limit, Duration wait) {
    long seconds = Math.max(1, (long) Math.ceil(wait.toMillis() / 1000.0));
    return new AtollException(
        ErrorCode.QUOTA_EXCEEDED,
        "the project's quota requests-per-second is %s, and more came"
            .formatted(amount(QuotaName.REQUESTS_PER_SECOND, limit)),
        "try again after %d s, or ask an administrator for more: atoll quota set %s"
                .formatted(seconds, project)
            + " --requests-per-second N",
        Map.of(
            "quota",
            QuotaName.REQUESTS_PER_SECOND.wire(),
            "limit",
            limit,
            "retryAfterSeconds",
            seconds),
        null);
  }
}
