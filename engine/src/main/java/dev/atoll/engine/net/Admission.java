package dev.atoll.engine.net;

import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkPolicy;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The way from what a program asks for to the addresses that may be dialled for it. A name is
 * looked up once; what was checked is what is dialled.
 */
final class Admission {
  /** How long a sandbox waits while the server is still looking for registries. */
  private static final Duration REGISTRIES_PATIENCE = Duration.ofSeconds(3);

  private final Egress egress;
  private final Target target;

  Admission(Egress egress, Target target) {
    this.egress = egress;
    this.target = target;
  }

  /**
   * What may be dialled.
   *
   * @param rule what allowed it
   */
  record Admitted(String rule, List<InetAddress> addresses) {}

  /** Whether it may be looked up. */
  Decision decide() throws Refusal {
    Decision decision = egress.check().decide(target);
    if (decision instanceof Decision.Refused && usesRegistries()) {
      Registries _ = egress.registries().settled(REGISTRIES_PATIENCE);
      decision = egress.check().decide(target);
    }
    if (decision instanceof Decision.Refused refused) {
      throw Refusal.of(refused);
    }
    return decision;
  }

  private boolean usesRegistries() {
    NetworkPolicy ceiling = egress.ceiling();
    return egress.policy().mode() == NetworkMode.PACKAGES
        || (ceiling != null && ceiling.mode() == NetworkMode.PACKAGES);
  }

  /** Looks it up and keeps the addresses that may be reached. */
  Admitted admit(Decision decision) throws Refusal {
    String rule = decision instanceof Decision.Allowed allowed ? allowed.rule() : "allow";
    return choose(lookUp(rule));
  }

  private List<InetAddress> lookUp(String rule) throws Refusal {
    InetAddress literal = target.address();
    if (literal != null) {
      return List.of(literal);
    }
    String over = egress.names().ask(target.host());
    if (over != null) {
      throw Refusal.limit(over);
    }
    Duration deadline = egress.network().settings().resolveDeadline();
    return switch (egress.names().lookUp(target.host(), deadline)) {
      case Resolver.Answer.Found found -> found.addresses();
      case Resolver.Answer.Missing _ -> throw Refusal.missing(target, rule);
      case Resolver.Answer.Failed failed -> throw Refusal.timeout(target, rule, failed.why());
    };
  }

  private Admitted choose(List<InetAddress> found) throws Refusal {
    List<InetAddress> passed = new ArrayList<>();
    String rule = "";
    Refusal refusal = null;
    for (InetAddress address : found) {
      Decision decision = check(address);
      if (decision instanceof Decision.Allowed allowed) {
        rule = passed.isEmpty() ? allowed.rule() : rule;
        passed.add(address);
      } else if (decision instanceof Decision.Refused refused && refusal == null) {
        refusal = Refusal.of(refused);
      }
    }
    if (passed.isEmpty()) {
      throw refusal == null ? Refusal.missing(target, rule) : refusal;
    }
    return new Admitted(rule, passed);
  }

  /** Whether this address may be dialled now. */
  Decision check(InetAddress address) {
    PolicyCheck check = egress.check();
    String range = egress.network().guard().forbids(target, address, check.registries());
    return range == null
        ? check.decide(target, address)
        : check.advice().forbidden(target, address, range);
  }
}
