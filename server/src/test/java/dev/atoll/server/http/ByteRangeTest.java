package dev.atoll.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.AtollException;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ByteRangeTest {
  @ParameterizedTest
  @CsvSource({
    "bytes=0-0,     0, 1",
    "bytes=0-99,    0, 100",
    "bytes=0-,      0, 100",
    "bytes=10-19,   10, 10",
    "bytes=90-1000, 90, 10",
    "bytes=-1,      99, 1",
    "bytes=-1000,   0, 100",
    "bytes = 5 - 6, 5, 2"
  })
  void rangesAreUnderstood(String header, long offset, long length) {
    assertThat(ByteRange.parse(header, 100)).contains(new ByteRange(offset, length));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bytes=0-1,5-6",
        "lines=1-2",
        "bytes=",
        "bytes=-",
        "bytes=5-4",
        "bytes=a-b",
        "x",
        "bytes=99999999999999999999-"
      })
  void othersAreIgnored(String header) {
    assertThat(ByteRange.parse(header, 100)).isEqualTo(Optional.empty());
  }

  @ParameterizedTest
  @ValueSource(strings = {"bytes=100-", "bytes=100-200", "bytes=-0"})
  void rangesOutsideAreErrors(String header) {
    assertThatThrownBy(() -> ByteRange.parse(header, 100))
        .isInstanceOfSatisfying(
            AtollException.class, e -> assertThat(e.details()).containsEntry("size", 100L));
  }

  @Test
  void emptyFilesHaveNoRanges() {
    assertThatThrownBy(() -> ByteRange.parse("bytes=0-0", 0)).isInstanceOf(AtollException.class);
    assertThatThrownBy(() -> ByteRange.parse("bytes=-5", 0)).isInstanceOf(AtollException.class);
  }

  @Test
  void fileNamesCannotBreakOut() {
    assertThat(Attachment.header("a.txt")).isEqualTo("attachment; filename=\"a.txt\"");
    assertThat(Attachment.header("a\"\r\nX: y"))
        .isEqualTo("attachment; filename=\"a___X_ y\"; filename*=UTF-8''a%22%0D%0AX%3A%20y");
    assertThat(Attachment.header("ü"))
        .isEqualTo("attachment; filename=\"_\"; filename*=UTF-8''%C3%BC");
    assertThat(Attachment.header("")).startsWith("attachment; filename=\"file\"");
  }
}
