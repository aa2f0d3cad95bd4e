package dev.atoll.driver.testkit;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.TreeMap;

/** All of a fake guest that a checkpoint keeps. */
final class FakeState implements Serializable {
  final FakeFiles files = new FakeFiles();
  final Map<Integer, FakeChannel> channels = new TreeMap<>();
  final Map<String, String> environment = new TreeMap<>(Map.of("HOME", FakeFiles.HOME));
  String hostname = "fake";
  long guestMemoryBytes;
  long guestDiskBytes;
  int guestProcesses;
  int lastChannel;

  /** The last id that the guest opened by itself. */
  int lastOwnChannel = (1 << 30) - 1;

  int lastPid = 1;
  long cpuMicros;
  boolean quiesced;

  private static final String FILE = "state";

  void write(Path directory) {
    Path aside = directory.resolveSibling("." + directory.getFileName() + ".partial");
    try {
      if (Files.exists(directory)) {
        throw new FileAlreadyExistsException(directory.toString());
      }
      Files.createDirectory(aside);
      try (ObjectOutputStream out =
          new ObjectOutputStream(Files.newOutputStream(aside.resolve(FILE)))) {
        out.writeObject(this);
      }
      Files.move(aside, directory, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads what a test of this process wrote before; nothing else is ever read with it. */
  @SuppressWarnings("BanSerializableRead")
  static FakeState read(Path directory) {
    try (ObjectInputStream in =
        new ObjectInputStream(Files.newInputStream(directory.resolve(FILE)))) {
      return (FakeState) in.readObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }
}
