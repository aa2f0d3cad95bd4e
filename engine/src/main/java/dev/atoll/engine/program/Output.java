package dev.atoll.engine.program;

import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.model.RunEvent;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** The output of a program as bytes, up to a limit. Used by one thread. */
final class Output {
  private final BudgetAccount memory;
  private final long limit;
  private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
  private final ByteArrayOutputStream stderr;
  private long kept;
  private long cutBytes;

  /**
   * @param merged whether both streams become one, in the order in which they came
   * @param memory pays for it, four times: it is copied, becomes text, and then JSON
   */
  Output(long limit, boolean merged, BudgetAccount memory) {
    this.memory = memory;
    this.limit = limit;
    this.stderr = merged ? stdout : new ByteArrayOutputStream();
  }

  void add(RunEvent event) {
    switch (event) {
      case RunEvent.Stdout output -> keep(stdout, bytes(output));
      case RunEvent.Stderr output -> keep(stderr, bytes(output));
      case RunEvent.Cut cut -> cutBytes += cut.bytes();
      default -> {}
    }
  }

  private void keep(ByteArrayOutputStream stream, byte[] bytes) {
    int room = (int) Math.clamp(limit - kept, 0L, bytes.length);
    memory.require(4L * room, "the program's output");
    stream.write(bytes, 0, room);
    kept += room;
    cutBytes += bytes.length - room;
  }

  private static byte[] bytes(RunEvent.Output output) {
    String text = output.text();
    String base64 = output.base64();
    if (text != null) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    return base64 == null ? new byte[0] : Base64.getDecoder().decode(base64);
  }

  byte[] stdout() {
    return stdout.toByteArray();
  }

  byte[] stderr() {
    return stderr.toByteArray();
  }

  /** How much was left out. */
  long cutBytes() {
    return cutBytes;
  }
}
