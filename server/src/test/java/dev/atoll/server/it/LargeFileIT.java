package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.FileEntry;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** A gibibyte goes in and out through a server with far less memory than that. */
class LargeFileIT {
  private static final long SIZE = 1L << 30;

  @Test
  void aGibibyteGoesInAndOutUnchanged() throws Exception {
    try (RealServer server = new RealServer();
        Sandbox sandbox = server.atoll().sandboxes().create(s -> s.memoryMiB(256).diskMiB(2048))) {
      MessageDigest sent = MessageDigest.getInstance("SHA-256");
      FileEntry entry = sandbox.files().write("big", new Pattern(SIZE, sent));
      assertThat(entry.size()).isEqualTo(SIZE);
      String digest = HexFormat.of().formatHex(sent.digest());
      assertThat(sandbox.shell("sha256sum big", o -> o.timeout(Duration.ofMinutes(3))).stdout())
          .startsWith(digest);
      MessageDigest received = MessageDigest.getInstance("SHA-256");
      long count = 0;
      try (InputStream in = sandbox.files().read("big")) {
        byte[] buffer = new byte[1 << 16];
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
          received.update(buffer, 0, n);
          count += n;
        }
      }
      assertThat(count).isEqualTo(SIZE);
      assertThat(HexFormat.of().formatHex(received.digest())).isEqualTo(digest);
    }
  }

  /** Bytes that do not repeat in any short period, made as they are read. */
  private static final class Pattern extends InputStream {
    private final long size;
    private final MessageDigest digest;
    private long position;

    Pattern(long size, MessageDigest digest) {
      this.size = size;
      this.digest = digest;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      if (position == size) {
        return -1;
      }
      int n = (int) Math.min(length, size - position);
      for (int i = 0; i < n; i++) {
        long p = position + i;
        target[offset + i] = (byte) (p ^ (p >>> 8) ^ (p >>> 16) * 31);
      }
      digest.update(target, offset, n);
      position += n;
      return n;
    }
  }
}
