package dev.atoll.engine.image;

import java.io.IOException;
import java.io.InputStream;

/** Where the entries of a tree go. */
interface TreeTarget extends AutoCloseable {
  /** Takes one entry; of a regular file, the content has the bytes. */
  void add(TreeEntry entry, InputStream content) throws IOException;

  /** To be called after the last entry. */
  void finish() throws IOException;

  @Override
  void close();
}
