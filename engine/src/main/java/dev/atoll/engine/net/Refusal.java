package dev.atoll.engine.net;

import dev.atoll.model.ConnectionVerdict;
import dev.atoll.protocol.wire.Refused;

/** Why something that a program wanted from the network is not given to it. */
final class Refusal extends Exception {
  private final Refused.Reason reason;
  private final String rule;
  private final String word;

  private Refusal(Refused.Reason reason, String rule, String word, String message) {
    super(message, null, false, false);
    this.reason = reason;
    this.rule = rule;
    this.word = word;
  }

  static Refusal of(Decision.Refused refused) {
    return new Refusal(Refused.Reason.POLICY, refused.rule(), refused.reason(), refused.message());
  }

  static Refusal invalid(String message) {
    return new Refusal(Refused.Reason.POLICY, "syntax", "invalid", message);
  }

  static Refusal datagram(Target target) {
    return new Refusal(
        Refused.Reason.POLICY,
        "udp",
        "udp",
        "no datagram leaves a sandbox, so none went to %s; TCP may be allowed, and names are looked up by the sandbox's own DNS server"
            .formatted(target));
  }

  static Refusal limit(String message) {
    return new Refusal(Refused.Reason.LIMIT, "limit", "limit", message);
  }

  static Refusal missing(Target target, String rule) {
    return new Refusal(
        Refused.Reason.NOT_FOUND, rule, "not_found", "there is no host " + target.host());
  }

  static Refusal timeout(Target target, String rule, String why) {
    return new Refusal(Refused.Reason.TIMEOUT, rule, "timeout", target + ": " + why);
  }

  static Refusal unreachable(Target target, String rule, String why) {
    return new Refusal(Refused.Reason.UNREACHABLE, rule, "unreachable", target + ": " + why);
  }

  Refused.Reason reason() {
    return reason;
  }

  String rule() {
    return rule;
  }

  String word() {
    return word;
  }

  /** The message in one bounded line. */
  String line() {
    return Target.printable(String.valueOf(getMessage()).replaceAll("\\s+", " "), 1000);
  }

  ConnectionVerdict verdict() {
    return switch (reason) {
      case POLICY, LIMIT -> ConnectionVerdict.REFUSED;
      default -> ConnectionVerdict.FAILED;
    };
  }
}
