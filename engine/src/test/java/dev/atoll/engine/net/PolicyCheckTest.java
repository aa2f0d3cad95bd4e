package dev.atoll.engine.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Cidr;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.NetworkRule;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class PolicyCheckTest {
  private static final Registries REGISTRIES =
      new Registries(Set.of(new Registry("index.test", 443, "a test", false)));

  @Test
  void packagesMeansTheRegistriesAndWhatIsAllowedBesides() {
    PolicyCheck check = check(NetworkPolicy.of(NetworkMode.PACKAGES, "more.test:80"), null);
    assertThat(allowed(check, "index.test", 443)).isTrue();
    assertThat(allowed(check, "index.test", 80)).isFalse();
    assertThat(allowed(check, "index.test", 0)).isTrue();
    assertThat(allowed(check, "more.test", 80)).isTrue();
    assertThat(allowed(check, "more.test", 0)).isTrue();
    assertThat(allowed(check, "other.test", 443)).isFalse();
    assertThat(allowed(check, "1.1.1.1", 443)).isFalse();
  }

  @Test
  void allowlistMeansTheRulesAlone() {
    PolicyCheck check = check(NetworkPolicy.of(NetworkMode.ALLOWLIST, "*.a.test"), null);
    assertThat(allowed(check, "x.a.test", 443)).isTrue();
    assertThat(allowed(check, "index.test", 443)).isFalse();
  }

  @Test
  void denyWins() {
    NetworkPolicy policy =
        NetworkPolicy.of(NetworkMode.ALLOWLIST, "a.test", "1.1.1.0/24")
            .denying(NetworkRule.parse("a.test:22"))
            .denying(NetworkRule.parse("1.1.1.7"));
    PolicyCheck check = check(policy, null);
    assertThat(allowed(check, "a.test", 22)).isFalse();
    assertThat(allowed(check, "a.test", 443)).isTrue();
    assertThat(allowed(check, "a.test", 0)).isTrue();
    assertThat(allowed(check, "1.1.1.1", 443)).isTrue();
    assertThat(allowed(check, "1.1.1.7", 443)).isFalse();
    assertThat(check.decide(Target.parse("a.test", 443), Cidr.literal("1.1.1.7")))
        .isInstanceOf(Decision.Refused.class);
  }

  @Test
  void aBlockOfAddressesIsDecidedAfterTheLookup() {
    PolicyCheck check = check(NetworkPolicy.of(NetworkMode.ALLOWLIST, "1.1.1.0/24:443"), null);
    Target target = Target.parse("any.test", 443);
    assertThat(check.decide(target)).isInstanceOf(Decision.Open.class);
    assertThat(check.decide(Target.parse("any.test", 80))).isInstanceOf(Decision.Refused.class);
    assertThat(check.decide(target, Cidr.literal("1.1.1.9"))).isInstanceOf(Decision.Allowed.class);
    assertThat(check.decide(target, Cidr.literal("1.1.2.9"))).isInstanceOf(Decision.Refused.class);
  }

  @Test
  void noneMeansNothing() {
    assertThat(allowed(check(NetworkPolicy.of(NetworkMode.NONE, "*"), null), "a.test", 1))
        .isFalse();
  }

  @Test
  void aCeilingIsNeverExceeded() {
    NetworkPolicy open = NetworkPolicy.of(NetworkMode.OPEN);
    PolicyCheck packages = check(open, NetworkPolicy.defaults());
    assertThat(allowed(packages, "index.test", 443)).isTrue();
    assertThat(allowed(packages, "a.test", 443)).isFalse();
    PolicyCheck denied = check(open, open.denying(NetworkRule.parse("a.test")));
    assertThat(allowed(denied, "a.test", 443)).isFalse();
    assertThat(allowed(denied, "b.test", 443)).isTrue();
    PolicyCheck narrow = check(NetworkPolicy.of(NetworkMode.NONE), open);
    assertThat(allowed(narrow, "b.test", 443)).isFalse();
  }

  @Test
  void aCeilingKnowsTheHostsRegistriesAndNotTheTemplates() {
    Registries ofHost = new Registries(Set.of(new Registry("index.test", 443, "the host", true)));
    Registries both =
        ofHost.plus(Set.of(new Registry("template.test", 443, "/etc/pip.conf", false)));
    NetworkPolicy packages = NetworkPolicy.defaults();
    Advice advice = new Advice("sbx_1");
    PolicyCheck free = new PolicyCheck(packages, null, both, ofHost, advice);
    assertThat(allowed(free, "template.test", 443)).isTrue();
    for (NetworkPolicy own : List.of(packages, NetworkPolicy.of(NetworkMode.OPEN))) {
      PolicyCheck bounded = new PolicyCheck(own, packages, both, ofHost, advice);
      assertThat(allowed(bounded, "index.test", 443)).isTrue();
      assertThat(allowed(bounded, "template.test", 443)).isFalse();
      assertThat(bounded.decide(Target.parse("template.test", 443), Cidr.literal("1.1.1.1")))
          .isInstanceOf(Decision.Refused.class);
    }
  }

  @Test
  void anAddressThatIsDeniedIsDeniedInWhateverCarriesIt() {
    NetworkPolicy policy =
        NetworkPolicy.of(NetworkMode.OPEN).denying(NetworkRule.parse("1.1.1.0/24"));
    PolicyCheck check = check(policy, null);
    for (String form :
        List.of("1.1.1.7", "64:ff9b::1.1.1.7", "2002:101:107::1", "2600::5efe:1.1.1.7")) {
      assertThat(allowed(check, form, 443)).as(form).isFalse();
      assertThat(check.decide(Target.parse("any.test", 443), Cidr.literal(form)))
          .as(form)
          .isInstanceOf(Decision.Refused.class);
    }
    assertThat(allowed(check, "64:ff9b::1.1.2.7", 443)).isTrue();
  }

  @Test
  void aCeilingOfAddressesIsDecidedAfterTheLookup() {
    PolicyCheck check =
        check(
            NetworkPolicy.of(NetworkMode.OPEN),
            NetworkPolicy.of(NetworkMode.ALLOWLIST, "1.1.1.0/24"));
    Target target = Target.parse("any.test", 443);
    assertThat(check.decide(target)).isInstanceOf(Decision.Open.class);
    assertThat(check.decide(target, Cidr.literal("1.1.1.9"))).isInstanceOf(Decision.Allowed.class);
    assertThat(check.decide(target, Cidr.literal("1.1.2.9"))).isInstanceOf(Decision.Refused.class);
  }

  private static PolicyCheck check(NetworkPolicy policy, @Nullable NetworkPolicy ceiling) {
    return new PolicyCheck(policy, ceiling, REGISTRIES, REGISTRIES, new Advice("sbx_1"));
  }

  private static boolean allowed(PolicyCheck check, String host, int port) {
    return check.decide(Target.parse(host, port)) instanceof Decision.Allowed;
  }
}
