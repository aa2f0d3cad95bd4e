package dev.atoll.engine;

import dev.atoll.model.FileEntry;
import java.io.InputStream;

/** A file being read; closing it early stops the transfer. */
public interface FileContent extends AutoCloseable {
  FileEntry entry();

  InputStream stream();

  @Override
  void close();
}
