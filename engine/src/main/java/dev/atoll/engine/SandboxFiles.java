package dev.atoll.engine;

import dev.atoll.model.*;
import java.io.InputStream;

/** Files of a sandbox. */
public final class SandboxFiles {
  SandboxFiles() {}
  public FileEntry stat(String path) { throw new UnsupportedOperationException(); }
  public FileList list(String path, int depth, int limit) { throw new UnsupportedOperationException(); }
  public FileContent read(String path, long offset, long length) { throw new UnsupportedOperationException(); }
  public FileEntry write(String path, InputStream content, WriteOptions options) { throw new UnsupportedOperationException(); }
  public FileEntry makeDirectory(String path, boolean parents) { throw new UnsupportedOperationException(); }
  public FileEntry move(String from, String to, boolean overwrite) { throw new UnsupportedOperationException(); }
  public void remove(String path, boolean recursive) { throw new UnsupportedOperationException(); }
  public FileWatch watch(String path, boolean recursive) { throw new UnsupportedOperationException(); }
  public InputStream readTar(String path) { throw new UnsupportedOperationException(); }
  public void writeTar(String path, InputStream tar) { throw new UnsupportedOperationException(); }
}
