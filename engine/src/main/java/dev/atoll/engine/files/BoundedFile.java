package dev.atoll.engine.files;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;

/** A new file that a guest decides the size of, up to a limit; on disk when it is closed. */
final class BoundedFile extends OutputStream {
  private final FileChannel file;
  private final long most;
  private long written;

  BoundedFile(Path path, long most) throws IOException {
    this.file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    this.most = most;
  }

  long written() {
    return written;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    if (written + length > most) {
      throw tooLarge(most);
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes, offset, length);
    while (buffer.hasRemaining()) {
      written += file.write(buffer);
    }
  }

  static AtollException tooLarge(long most) {
    return new AtollException(
        ErrorCode.TOO_LARGE,
        "the changed files take more than " + most + " bytes",
        "remove files from the sandbox, or free space on the host",
        Map.of("max", most),
        null);
  }

  @Override
  public void close() throws IOException {
    try (file) {
      if (file.isOpen()) {
        file.force(true);
      }
    }
  }
}
