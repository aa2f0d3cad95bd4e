package dev.atoll.engine.files;

import dev.atoll.engine.guest.Guest;
import java.nio.file.Path;

/** Stub. */
public final class FileLayer {
  private FileLayer() {}

  public static long pack(Guest guest, Path rootfs, Path target) {
    throw new UnsupportedOperationException();
  }

  public static void unpack(Path directory, Guest guest) {
    throw new UnsupportedOperationException();
  }
}
