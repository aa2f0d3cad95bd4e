package dev.atoll.server;

import dev.atoll.server.config.ConfigException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a data directory to one server. The kernel drops the lock with the process, however that
 * ends, so a stale one cannot exist; the pid in the file is only for the message.
 */
final class DataDirectoryLock implements AutoCloseable {
  private final FileChannel channel;

  private DataDirectoryLock(FileChannel channel) {
    this.channel = channel;
  }

  static DataDirectoryLock acquire(Path dataDirectory) {
    Path directory = dataDirectory.resolve("run");
    // Beside run/, which is empty while no server runs; a lock file that comes and goes could be
    // locked twice.
    Path file = dataDirectory.resolve("server.lock");
    try {
      PrivateFiles.makeDirectory(directory);
      FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (tryLock(channel) == null) {
        channel.close();
        throw new ConfigException(
            "another Atoll server (pid "
                + Files.readString(file).strip()
                + ") uses "
                + dataDirectory
                + ". Stop it, or choose another data-dir.");
      }
      byte[] pid = Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII);
      channel.truncate(0).write(ByteBuffer.wrap(pid), 0);
      return new DataDirectoryLock(channel);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot lock " + file, e);
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      // Another server in this very process, as in tests.
      return null;
    }
  }
}
