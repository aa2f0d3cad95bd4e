package dev.atoll.engine.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Cidr;
import dev.atoll.model.NetworkRule;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AddressGuardTest {
  private static final InetAddress OWN = Cidr.literal("93.184.216.34");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "93.184.216.34",
        "::ffff:93.184.216.34",
        "::93.184.216.34",
        "::ffff:0:93.184.216.34",
        "64:ff9b::93.184.216.34",
        "64:ff9b:1::93.184.216.34",
        "2002:5db8:d822::1",
        "2600:1::5efe:93.184.216.34",
        "2600:1::200:5efe:93.184.216.34",
        "2001:0:5db8:d822::",
        "2001:0:808:808:0:0:a247:27dd"
      })
  void theServersOwnAddressIsItsOwnInEveryForm(String form) {
    assertThat(forbids(form)).isEqualTo("server's own");
    // A block does not open what is the server's own, in whichever form.
    assertThat(forbids(form, "0.0.0.0/0", "::/0", "*")).isEqualTo("server's own");
  }

  @Test
  void othersOfTheSameFormsMayBeReached() {
    assertThat(forbids("64:ff9b::93.184.216.35")).isNull();
    assertThat(forbids("2002:5db8:d823::1")).isNull();
  }

  @Test
  void loopbackInAnotherFormIsTheServersOwn() {
    assertThat(forbids("64:ff9b::127.0.0.1", "64:ff9b::/96")).isEqualTo("server's own");
    assertThat(forbids("2002:7f00:1::1", "2002::/16")).isEqualTo("server's own");
  }

  private static @Nullable String forbids(String address, String... reachable) {
    AddressGuard guard =
        new AddressGuard(
            List.of(reachable).stream().map(NetworkRule::parse).toList(), () -> Set.of(OWN));
    return guard.forbids(Target.parse("any.test", 443), Cidr.literal(address), Registries.none());
  }
}
