package dev.atoll.server;

import dev.atoll.engine.Restoration;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Brings a backup back while no server runs, and says how far it is once that takes a while. */
final class RestoreCommand {
  private static final long SAID_EVERY = Duration.ofSeconds(2).toNanos();

  private final Path file;
  private final PrintStream say;

  RestoreCommand(Path file, PrintStream say) {
    this.file = file;
    this.say = say;
  }

  void into(Path data) {
    FileModeMask.shutOutOthers();
    try (InputStream backup = new Counted(Files.newInputStream(file), Files.size(file))) {
      PrivateFiles.makeDirectory(data);
      DataDirectoryLock lock = DataDirectoryLock.acquire(data);
      try {
        SqliteLibrary.prepare(data);
        new Restoration(data).from(backup);
      } finally {
        lock.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot restore " + file + ": " + e.getMessage(), e);
    }
    say.println("atoll-server: restored " + file + " to " + data);
  }

  private final class Counted extends FilterInputStream {
    private final long size;
    private long read;
    private long next = System.nanoTime() + SAID_EVERY;

    Counted(InputStream in, long size) {
      super(in);
      this.size = size;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      int count = in.read(bytes, offset, length);
      read += Math.max(0, count);
      if (System.nanoTime() - next > 0) {
        next = System.nanoTime() + SAID_EVERY;
        say.printf("atoll-server: restoring: %d of %d MiB%n", read >> 20, size >> 20);
      }
      return count;
    }
  }
}
