package dev.atoll.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ErrorDocumentTest {
  private static final Path DOCUMENT = Path.of("../docs/errors.md");

  @ParameterizedTest
  @EnumSource
  void everyCodeIsDescribedWithItsStatus(ErrorCode code) throws Exception {
    assertThat(Files.readString(DOCUMENT))
        .containsPattern(
            "\\| `"
                + code.wire()
                + "` \\| "
                + code.httpStatus()
                + " \\| [^|]{10,} \\| [^|]{5,} \\|");
  }

  @Test
  void nothingElseIsDescribed() throws Exception {
    long rows = Files.readString(DOCUMENT).lines().filter(line -> line.startsWith("| `")).count();
    assertThat(rows).isEqualTo(ErrorCode.values().length);
  }
}
