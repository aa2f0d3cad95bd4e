package dev.atoll.supply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.supply.Component.Ecosystem;
import java.util.Comparator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each ecosystem has its own order. */
final class VersionsTest {

  @ParameterizedTest
  @CsvSource({
    "MAVEN, 1.0-alpha-1, 1.0",
    "MAVEN, 1.9, 1.10",
    "MAVEN, 2.0.0.RC1, 2.0.0",
    "GO, v1.9.0, v1.10.0",
    "GO, v1.2.3-rc.1, v1.2.3",
    "GO, v1.2.3-rc.2, v1.2.3-rc.10",
    "GO, 0.0.0-20240101000000-abcdef, v0.0.0-20260905035102-160fafc42237",
    "DEBIAN, 1.2.3-1, 1.2.3-1+b1",
    "DEBIAN, 1.2.3~rc1-1, 1.2.3-1",
    "DEBIAN, 9.9, 1:0.1",
    "DEBIAN, 1.2.9-1, 1.2.10-1",
    "DEBIAN, 1.2a-1, 1.2+1-1"
  })
  void theFirstIsEarlier(Ecosystem ecosystem, String earlier, String later) {
    Comparator<String> order = Versions.of(ecosystem);
    assertThat(order.compare(earlier, later)).isNegative();
    assertThat(order.compare(later, earlier)).isPositive();
    assertThat(order.compare(later, later)).isZero();
  }

  @ParameterizedTest
  @CsvSource({"GO, v2.2.1+incompatible, 2.2.1", "DEBIAN, 0:1.2, 1.2", "MAVEN, 1.0, 1"})
  void theseAreTheSame(Ecosystem ecosystem, String one, String other) {
    assertThat(Versions.of(ecosystem).compare(one, other)).isZero();
  }
}
