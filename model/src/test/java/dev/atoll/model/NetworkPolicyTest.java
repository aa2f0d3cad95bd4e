package dev.atoll.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class NetworkPolicyTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "example.com",
        "*.example.com:443",
        "*",
        "*:22",
        "10.0.0.0/8:5432",
        "10.0.0.0/8:80,8000-8100",
        "192.0.2.7",
        "2001:db8:0:0:0:0:0:0/32",
        "[2001:db8:0:0:0:0:0:1]:443"
      })
  void aRuleReadsBackAsItWasWritten(String text) {
    assertThat(NetworkRule.parse(text)).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a b",
        "*example.com",
        "ex*mple.com",
        "example.com:0",
        "example.com:70000",
        "example.com:",
        "10.0.0.0/33",
        "10.0.0/8",
        "127.1",
        "0x7f.1",
        "2130706433",
        "010.0.0.1",
        "1.2.3.256",
        "fe80::1%eth0",
        "[::1",
        "http://example.com"
      })
  void whatIsNoRuleIsRefused(String text) {
    assertThatThrownBy(() -> NetworkRule.parse(text)).isInstanceOf(AtollException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "example.com, example.com, 1, true",
    "example.com, www.example.com, 1, false",
    "*.example.com, www.example.com, 1, true",
    "*.example.com, a.b.example.com, 1, true",
    "*.example.com, example.com, 1, false",
    "*.example.com, evilexample.com, 1, false",
    "EXAMPLE.com, example.com, 1, true",
    "example.com:443, example.com, 80, false",
    "example.com:80-90, example.com, 85, true",
    "*:22, anything.test, 22, true"
  })
  void namesMatchWholeLabels(String rule, String name, int port, boolean matches) {
    assertThat(NetworkRule.parse(rule).matchesName(name, port)).isEqualTo(matches);
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.255.0.1, true",
    "10.0.0.0/8, 11.0.0.1, false",
    "10.1.2.3/9, 10.127.0.1, true",
    "0.0.0.0/0, 8.8.8.8, true",
    "0.0.0.0/0, 2001:db8::1, false",
    "2001:db8::/33, 2001:db8:7fff::1, true",
    "2001:db8::/33, 2001:db8:8000::1, false",
    "10.0.0.0/8, ::ffff:10.0.0.1, true"
  })
  void addressesMatchTheirBlock(String rule, String address, boolean matches) {
    assertThat(NetworkRule.parse(rule).matchesAddress(Cidr.literal(address), 1)).isEqualTo(matches);
  }

  @Test
  void aPolicyIsPlainJsonWithRulesAsTexts() {
    NetworkPolicy policy =
        NetworkPolicy.of(NetworkMode.ALLOWLIST, "*.example.com:443")
            .denying(NetworkRule.parse("bad.example.com"));
    String json = Json.lenient().writeValueAsString(policy);

    assertThat(json).contains("\"allowlist\"", "[\"*.example.com:443\"]", "[\"bad.example.com\"]");
    assertThat(Json.strict().readValue(json, NetworkPolicy.class)).isEqualTo(policy);
    assertThat(Json.strict().readValue("{}", NetworkPolicy.class))
        .isEqualTo(NetworkPolicy.defaults());
  }

  @Test
  void aRuleIsInOneListAtMost() {
    NetworkRule rule = NetworkRule.parse("example.com");
    NetworkPolicy allowing = NetworkPolicy.defaults().denying(rule).allowing(rule).allowing(rule);
    assertThat(allowing.allow()).containsExactly(rule);
    assertThat(allowing.deny()).isEmpty();
    assertThat(allowing.denying(rule).allow()).isEmpty();
    assertThat(allowing.denying(rule).deny()).containsExactly(rule);
    assertThat(allowing.without(rule)).isEqualTo(NetworkPolicy.defaults());
    assertThat(allowing.withMode(NetworkMode.OPEN).allow()).containsExactly(rule);
  }

  @Test
  void thereIsNoOtherMode() {
    assertThatThrownBy(() -> NetworkMode.of("all")).hasMessageContaining("all");
  }
}
