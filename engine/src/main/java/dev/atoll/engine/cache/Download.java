package dev.atoll.engine.cache;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A file on its way here, which any number of readers take as it comes. The last byte is held back
 * until all of it is known to be what was promised, so nobody gets a whole file that is not.
 */
final class Download {
  private static final int BLOCK = 64 << 10;
  private static final Duration STALLED = Duration.ofSeconds(60);

  private final Promise promise;
  private final CacheFolder folder;
  private final Counts counts;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private @Nullable FileChannel channel;
  private boolean begun;
  private long length = -1;
  private long written;
  private int readers;
  private boolean ended;
  private @Nullable IOException failure;

  Download(Promise promise, CacheFolder folder, Counts counts) {
    this.promise = promise;
    this.folder = folder;
    this.counts = counts;
  }

  /** Opens the connection; what comes is told to whoever waits. */
  interface Opening {
    Fetcher.Fetched open() throws IOException;
  }

  /**
   * Fetches it to the end and keeps it, or keeps nothing.
   *
   * @param leaving runs before the readers are told: who asks after that is not given the same end
   */
  void run(Opening opening, Runnable leaving) {
    Path file = null;
    IOException why = null;
    try (Fetcher.Fetched fetched = opening.open()) {
      file = folder.begin();
      begin(FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE), fetched);
      copy(fetched.body(), file);
      folder.keep(file, folder.file(promise.key()));
    } catch (IOException e) {
      why = e;
    } catch (RuntimeException e) {
      why = new IOException(e);
    }
    // Nothing is left of it when the readers are told.
    remove(file);
    leaving.run();
    end(why);
  }

  private static void remove(@Nullable Path file) {
    try {
      if (file != null) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      // The next start of the server removes it.
    }
  }

  private void begin(FileChannel opened, Fetcher.Fetched fetched) {
    lock.lock();
    try {
      channel = opened;
      length = fetched.length();
      begun = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void copy(InputStream in, Path file) throws IOException {
    MessageDigest digest = promise.begin();
    byte[] block = new byte[BLOCK];
    try (Watch watch = new Watch(in)) {
      for (int read = in.read(block); read >= 0; read = in.read(block)) {
        watch.alive();
        digest.update(block, 0, read);
        append(ByteBuffer.wrap(block, 0, read));
        counts.fetched(read);
      }
    }
    if (!promise.isKept(digest, file)) {
      throw new CorruptException(
          "what the registry sent is not what its index promises (%s)".formatted(promise.key()));
    }
  }

  private void append(ByteBuffer block) throws IOException {
    FileChannel to = open();
    long position = written;
    while (block.hasRemaining()) {
      position += to.write(block, position);
    }
    lock.lock();
    try {
      written = position;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private FileChannel open() throws IOException {
    FileChannel now = channel;
    if (now == null) {
      throw new IOException("the download has not begun");
    }
    return now;
  }

  private void end(@Nullable IOException why) {
    lock.lock();
    try {
      ended = true;
      begun = true;
      failure = why;
      changed.signalAll();
      closeIfDone();
    } finally {
      lock.unlock();
    }
  }

  /** With the lock held: nobody needs the file any more. */
  private void closeIfDone() {
    FileChannel now = channel;
    if (ended && readers == 0 && now != null) {
      try {
        now.close();
      } catch (IOException e) {
        // What was read from it is what was written.
      }
    }
  }

  /** Waits for the beginning; fails when there is none. */
  Body body() throws IOException {
    lock.lock();
    try {
      while (!begun) {
        await();
      }
      if (failure != null) {
        throw failure;
      }
      if (ended) {
        return FileBody.open(folder.file(promise.key()), 0);
      }
      readers++;
      return new Reader();
    } finally {
      lock.unlock();
    }
  }

  /** With the lock held: waits until something has changed; the callers look again. */
  @SuppressWarnings("WaitNotInLoop")
  private void await() throws IOException {
    try {
      if (!changed.await(STALLED.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IOException("the registry has sent nothing for a minute");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** Up to where may be read from this position; the position itself at the end. */
  private long readable(long position) throws IOException {
    lock.lock();
    try {
      while (!ended && written - 1 <= position) {
        await();
      }
      if (failure != null) {
        throw failure;
      }
      return ended ? written : written - 1;
    } finally {
      lock.unlock();
    }
  }

  private final class Reader implements Body {
    private boolean closed;

    @Override
    public long length() {
      return length;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
      ByteBuffer block = ByteBuffer.allocate(BLOCK);
      long position = 0;
      for (long end = readable(position); position < end; end = readable(position)) {
        while (position < end) {
          block.clear().limit((int) Math.min(BLOCK, end - position));
          int read = open().read(block, position);
          if (read < 0) {
            throw new IOException("a file of the cache is shorter than it was");
          }
          out.write(block.array(), 0, read);
          position += read;
        }
      }
    }

    @Override
    public void close() {
      lock.lock();
      try {
        if (!closed) {
          closed = true;
          readers--;
          closeIfDone();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /** Ends a download whose registry sends nothing any more. */
  private static final class Watch implements AutoCloseable {
    private final Thread thread;
    private volatile long last = System.nanoTime();

    Watch(InputStream in) {
      this.thread = Thread.ofVirtual().name("download-watch").start(() -> watch(in));
    }

    void alive() {
      last = System.nanoTime();
    }

    private void watch(InputStream in) {
      try {
        while (System.nanoTime() - last < STALLED.toNanos()) {
          Thread.sleep(STALLED.dividedBy(12));
        }
        in.close();
      } catch (InterruptedException | IOException e) {
        // It has ended.
      }
    }

    @Override
    public void close() {
      thread.interrupt();
    }
  }
}
