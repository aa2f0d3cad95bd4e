package dev.atoll.engine.tree;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/** Writes a new file of a tree by its descriptor, which it owns. */
public final class TreeFileOutput extends OutputStream {
  private static final int BUFFER = 1 << 16;

  private final int descriptor;
  private final String name;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment buffer = arena.allocate(BUFFER);
  private boolean closed;

  TreeFileOutput(int descriptor, String name) {
    this.descriptor = descriptor;
    this.name = name;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    if (closed) {
      throw new IOException("the file was closed");
    }
    int done = 0;
    while (done < length) {
      int part = Math.min(length - done, BUFFER);
      MemorySegment.copy(bytes, offset + done, buffer, ValueLayout.JAVA_BYTE, 0, part);
      done += Failures.check(SystemCalls.write(descriptor, buffer.asSlice(0, part)), name);
    }
  }

  /** Sets the permissions alone; the file belongs to the server. */
  public void setMode(int mode) throws IOException {
    int _ = Failures.check(SystemCalls.chmod(descriptor, mode), name);
  }

  /** To be called after the last byte. */
  public void set(FileAttributes attributes) throws IOException {
    TreeDirectory.set(descriptor, name, attributes);
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
