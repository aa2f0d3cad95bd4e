package dev.atoll.engine.net;

import dev.atoll.model.ConnectionVerdict;
import org.jspecify.annotations.Nullable;

/**
 * How a connection ended.
 *
 * @param rule what refused it; null when the rule that allowed it stands
 * @param reason null for an end as it should be
 * @param byGuest whether the guest has closed the channel, or is gone, so that nothing has to be
 *     said to it
 */
record Ending(
    ConnectionVerdict verdict, @Nullable String rule, @Nullable String reason, boolean byGuest) {

  static Ending complete() {
    return new Ending(ConnectionVerdict.ALLOWED, null, null, false);
  }

  static Ending broken(String reason) {
    return new Ending(ConnectionVerdict.ALLOWED, null, reason, false);
  }

  static Ending byGuest(@Nullable String reason) {
    return new Ending(ConnectionVerdict.ALLOWED, null, reason, true);
  }

  static Ending refused(String rule, String reason) {
    return new Ending(ConnectionVerdict.REFUSED, rule, reason, false);
  }

  static Ending of(Refusal refusal) {
    return new Ending(refusal.verdict(), refusal.rule(), refusal.word(), false);
  }
}
