package dev.atoll.engine.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.AtollException;
import dev.atoll.model.Cidr;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ForbiddenRangesTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0.0.0.0",
        "0.255.1.1",
        "10.0.0.1",
        "100.64.0.1",
        "100.100.100.200",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.254",
        "168.63.129.16",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.192",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.0.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::8.8.8.8",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:0:127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::10.0.0.1",
        "64:ff9b::169.254.169.254",
        "64:ff9b:1::8.8.8.8",
        "2002:7f00:1::",
        "2002:a00:1::1",
        "2002:a9fe:a9fe::1",
        "2001::1",
        "2001:0:7f00:1::",
        "2001:0:808:808:0:0:f5ff:fffe",
        "2001:10::1",
        "2001:db8::1",
        "3fff::1",
        "2600:1::5efe:10.0.0.1",
        "2600:1::200:5efe:a00:1",
        "100::1",
        "4000::1",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "febf::1",
        "fec0::1",
        "ff02::1"
      })
  void addressesOffThePublicInternetAreForbidden(String address) {
    assertThat(ForbiddenRanges.of(Cidr.literal(address))).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.1.1.1",
        "8.8.8.8",
        "100.63.255.255",
        "100.128.0.0",
        "172.15.0.1",
        "172.32.0.1",
        "168.63.129.17",
        "223.255.255.255",
        "2600::1",
        "2a00:1450::1",
        "2001:4860:4860::8888",
        "64:ff9b::8.8.8.8",
        "2002:808:808::1",
        "::ffff:8.8.8.8"
      })
  void publicOnesAreNot(String address) {
    assertThat(ForbiddenRanges.of(Cidr.literal(address))).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "017700000001",
        "127.1",
        "127.0.1",
        "127.0.0.1.",
        "127.0.0.01",
        "1.2.3.4.5",
        "256.256.256.256",
        "example.0x7f",
        "a.1",
        "fe80::1%1",
        "::ffff:127.1",
        "[::1",
        "http://127.0.0.1",
        "user@127.0.0.1",
        "127.0.0.1#",
        "１２７.0.0.1",
        "127。0。0。1"
      })
  void oddNotationsAreNoTargetsOrTheAddressTheyMean(String host) {
    if (host.equals("127.0.0.1.")) {
      assertThat(Target.parse(host, 80).address()).isNotNull();
      return;
    }
    assertThatThrownBy(() -> Target.parse(host, 80)).isInstanceOf(AtollException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"[::1]", "::FFFF:7F00:1", "0:0:0:0:0:0:0:1"})
  void bracketsAndLongFormsAreTheAddressTheyMean(String host) {
    Target target = Target.parse(host, 80);
    assertThat(target.isName()).isFalse();
    assertThat(target.address()).matches(a -> a != null && a.isLoopbackAddress());
  }
}
