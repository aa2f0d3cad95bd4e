package dev.atoll.engine.image;

import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** Hands the entries of a tree to a program that unpacks them. */
final class TreeFeed implements TreeTarget {
  private final UnpackProcess process;
  private final DataOutputStream out;

  TreeFeed(UnpackProcess process) {
    this.process = process;
    this.out = new DataOutputStream(process.input());
  }

  @Override
  public void add(TreeEntry entry, InputStream content) throws IOException {
    try {
      entry.write(out);
    } catch (IOException e) {
      throw ended(e);
    }
    // What cannot be read and what cannot be written must be told apart.
    byte[] buffer = new byte[1 << 16];
    long left = entry.size();
    while (left > 0) {
      int n = content.read(buffer, 0, (int) Math.min(buffer.length, left));
      if (n < 0) {
        throw new EOFException(left + " bytes are missing");
      }
      left -= n;
      try {
        out.write(buffer, 0, n);
      } catch (IOException e) {
        throw ended(e);
      }
    }
  }

  @Override
  public void finish() throws IOException {
    try {
      out.writeByte(Archive.END_OF_TREE);
      out.close();
    } catch (IOException e) {
      throw ended(e);
    }
    process.finish();
  }

  /** It reads no more because it has ended, and says why. */
  private IOException ended(IOException e) throws IOException {
    process.finish();
    return e;
  }

  @Override
  public void close() {
    process.close();
  }
}
