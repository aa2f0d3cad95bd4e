package dev.atoll.engine;

import static dev.atoll.engine.EngineHarness.PROJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.FileEntry;
import dev.atoll.model.FileKind;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SandboxFilesTest {
  @TempDir Path folder;
  private EngineHarness harness;
  private SandboxFiles files;

  @BeforeEach
  void open() throws IOException {
    harness = new EngineHarness(folder);
    files = harness.sandboxes().files(PROJECT, harness.create());
  }

  @AfterEach
  void close() {
    harness.close();
  }

  private FileEntry write(String path, byte[] content) {
    return files.write(path, new ByteArrayInputStream(content), new WriteOptions(0, true, false));
  }

  private byte[] read(String path, long offset, long length) throws IOException {
    try (FileContent content = files.read(path, offset, length)) {
      return content.stream().readAllBytes();
    }
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    byte[] large = new byte[3 << 20];
    for (int i = 0; i < large.length; i++) {
      large[i] = (byte) (i * 31);
    }
    FileEntry entry = write("/tmp/large", large);
    assertThat(entry.size()).isEqualTo(large.length);
    assertThat(entry.kind()).isEqualTo(FileKind.FILE);
    assertThat(read("/tmp/large", 0, 0)).isEqualTo(large);
    assertThat(read("/tmp/large", 10, 5))
        .containsExactly(java.util.Arrays.copyOfRange(large, 10, 15));
  }

  @Test
  void anUploadThatBreaksOffLeavesNoFile() {
    InputStream broken =
        new SequenceInputStream(
            new ByteArrayInputStream(new byte[100_000]),
            new FilterInputStream(InputStream.nullInputStream()) {
              @Override
              public int read(byte[] target, int offset, int length) throws IOException {
                throw new IOException("connection reset");
              }
            });
    assertThatThrownBy(() -> files.write("/tmp/half", broken, new WriteOptions(0, true, false)))
        .hasMessageContaining("broke off");
    assertThatThrownBy(() -> files.stat("/tmp/half"))
        .isInstanceOfSatisfying(
            AtollException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FILE_NOT_FOUND));
  }

  @Test
  void directoriesAreMadeListedMovedAndRemoved() {
    files.makeDirectory("/tmp/d/e", true);
    write("/tmp/d/e/f", "hi".getBytes(StandardCharsets.UTF_8));
    assertThat(files.list("/tmp/d", 1, 100).entries())
        .extracting(FileEntry::path)
        .containsExactly("/tmp/d/e");
    files.move("/tmp/d/e/f", "/tmp/d/g", false);
    assertThat(files.stat("/tmp/d/g").size()).isEqualTo(2);
    assertThatThrownBy(() -> files.remove("/tmp/d", false)).isInstanceOf(AtollException.class);
    files.remove("/tmp/d", true);
    assertThatThrownBy(() -> files.stat("/tmp/d")).isInstanceOf(AtollException.class);
  }

  @Test
  void badPathsAreRefusedBeforeTheyReachTheGuest() {
    for (String path : new String[] {"", "a\0b", "x".repeat(5000)}) {
      assertThatThrownBy(() -> files.stat(path))
          .isInstanceOfSatisfying(
              AtollException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }
  }
}
