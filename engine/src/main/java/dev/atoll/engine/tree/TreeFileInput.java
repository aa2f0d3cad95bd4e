package dev.atoll.engine.tree;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/** Reads a regular file of a tree by its descriptor, which it owns. */
public final class TreeFileInput extends InputStream {
  private static final int BUFFER = 1 << 16;

  private final int descriptor;
  private final String name;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment buffer = arena.allocate(BUFFER);
  private boolean closed;

  TreeFileInput(int descriptor, String name) throws IOException {
    this.descriptor = descriptor;
    this.name = name;
    FileStatus status = TreeDirectory.statusOf(descriptor, "");
    if (status == null || !status.isFile()) {
      close();
      throw new PathException(name, "this is no file");
    }
  }

  void set(FileAttributes attributes) throws IOException {
    TreeDirectory.set(descriptor, name, attributes);
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    if (closed) {
      throw new IOException("the file was closed");
    }
    if (length == 0) {
      return 0;
    }
    int n = Failures.check(SystemCalls.read(descriptor, buffer, length), name);
    MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, 0, bytes, offset, n);
    return n == 0 ? -1 : n;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      SystemCalls.close(descriptor);
      arena.close();
    }
  }
}
