package dev.atoll.engine.run;

import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.engine.budget.FairBudget;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files to which the output of ended runs of one machine goes. They are in the machine's
 * directory, where the guest cannot see them, and go with it; those of an earlier server are of no
 * use to this one, which knows nothing of its ended runs. Only the {@link #ids} that callers chose
 * are for the next server. Thread-safe.
 */
public final class RunFiles {
  /** What the files of all projects may take. */
  public static final FairBudget DISK = new FairBudget(4L << 30);

  private static final Logger LOG = LoggerFactory.getLogger(RunFiles.class);
  private static final FileAttribute<?> OURS =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  /** Each that is written is in memory twice for a moment. */
  private static final Semaphore WRITING = new Semaphore(2);

  private final Path folder;
  private final BudgetAccount disk;
  private final ChosenIds ids;
  private boolean ready;
  private boolean closed;
  private long next;

  /**
   * @param machine the machine's own directory
   */
  public RunFiles(Path machine) {
    this.folder = machine.resolve("runs");
    this.disk = new BudgetAccount(DISK, BudgetAccount.NOBODY);
    this.ids = new ChosenIds(machine);
    clear();
  }

  /** The ids that callers chose for code. */
  ChosenIds ids() {
    return ids;
  }

  /** Says on whose account the files are. */
  void belongTo(String project) {
    disk.belongTo(project);
  }

  /** Writes a log; null when there is no room for it, which is no reason to fail. */
  @Nullable StoredLog store(LogItem first) {
    Path file = prepare();
    if (file == null) {
      return null;
    }
    long paid = 0;
    try {
      WRITING.acquire();
      try {
        byte[] bytes = LogFormat.encode(first);
        if (!disk.take(bytes.length)) {
          return null;
        }
        paid = bytes.length;
        // The name is ours, and nobody else may write to the folder.
        Files.createFile(file, OURS);
        Files.write(file, bytes);
        return new StoredLog(file, bytes.length, this);
      } finally {
        WRITING.release();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    } catch (IOException e) {
      LOG.warn("the output of a run is not kept: {}", e.toString());
      remove(file, paid);
      return null;
    }
  }

  private synchronized @Nullable Path prepare() {
    if (closed) {
      return null;
    }
    try {
      if (!ready) {
        Files.createDirectory(
            folder,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        ready = true;
      }
    } catch (FileAlreadyExistsException e) {
      ready = true;
    } catch (IOException e) {
      LOG.warn("the output of a run is not kept: {}", e.toString());
      return null;
    }
    return folder.resolve(Long.toString(next++, 36));
  }

  void remove(Path file, long size) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOG.warn("{} remains until its sandbox ends: {}", file, e.toString());
    }
    synchronized (this) {
      if (!closed) {
        disk.give(size);
      }
    }
  }

  /** The machine is gone, and its directory with it. */
  synchronized void close() {
    if (!closed) {
      closed = true;
      disk.giveAll();
    }
  }

  private void clear() {
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      LOG.warn("{} remains until its sandbox ends: {}", folder, e.toString());
    }
  }
}
