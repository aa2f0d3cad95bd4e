package dev.atoll.engine.template;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DebianBaseTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "E: Unable to locate package no-such-thing|no-such-thing",
        "E: Package 'libold1' has no installation candidate|libold1",
        "E: Couldn't find any package by glob 'g++-99'|g++-99",
        "E: mmdebstrap failed to run|",
        "I: downloading packages with apt...|"
      })
  void theNameOfAPackageThatThereIsNoneOfIsRead(String line, String name) {
    assertThat(DebianBase.absent(line)).isEqualTo(name);
  }
}
