package dev.atoll.engine.cache;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file from an offset to its end; open, so that it stays whole when it has to make room. */
final class FileBody implements Body {
  private static final int BLOCK = 64 << 10;

  private final FileChannel channel;
  private final long offset;
  private final long length;

  private FileBody(FileChannel channel, long offset, long length) {
    this.channel = channel;
    this.offset = offset;
    this.length = length;
  }

  static FileBody open(Path file, long offset) throws IOException {
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
    return new FileBody(channel, offset, channel.size() - offset);
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    ByteBuffer block = ByteBuffer.allocate(BLOCK);
    long position = offset;
    while (position < offset + length) {
      int read = channel.read(block.clear(), position);
      if (read < 0) {
        throw new IOException("a file of the cache is shorter than it was");
      }
      out.write(block.array(), 0, read);
      position += read;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
