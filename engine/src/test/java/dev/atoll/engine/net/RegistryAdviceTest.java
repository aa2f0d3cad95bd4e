package dev.atoll.engine.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.NetworkRule;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RegistryAdviceTest {
  private static final Registry CRATES = new Registry("index.test", 443, "cargo's default", false);

  private static List<String> advice(String address, List<NetworkRule> reachable, Registry one) {
    return advice(address, reachable, one, Set.of());
  }

  private static List<String> advice(
      String address, List<NetworkRule> reachable, Registry one, Set<String> cached) {
    try (Resolver resolver = new Resolver(name -> List.of(InetAddress.getByName(address)))) {
      return new RegistryAdvice(resolver, new AddressGuard(reachable, Set::of))
          .of(new Registries(Set.of(one)), cached);
    }
  }

  @Test
  void aRegistryAtAReservedAddressIsNamedWithTheSettingThatAllowsIt() {
    assertThat(advice("240.0.0.7", List.of(), CRATES))
        .singleElement()
        .asString()
        .contains("index.test:443", "cargo's default", "240.0.0.7, a reserved address")
        .contains("network.reachable");
  }

  @Test
  void oneThatThePackageCacheAsksIsSaidToBeReachedByIt() {
    assertThat(advice("240.0.0.7", List.of(), CRATES, Set.of("index.test")))
        .singleElement()
        .asString()
        .contains("no sandbox may reach but by the package cache", "network.reachable");
  }

  @Test
  void onesThatCanBeReachedAreNotNamed() {
    assertThat(advice("93.184.215.14", List.of(), CRATES)).isEmpty();
    assertThat(advice("240.0.0.7", List.of(NetworkRule.parse("index.test")), CRATES)).isEmpty();
    Registry configured = new Registry("index.test", 443, "/etc/pip.conf", true);
    assertThat(advice("240.0.0.7", List.of(), configured)).isEmpty();
  }
}
