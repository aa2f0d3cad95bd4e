package dev.atoll.engine.service;

import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.engine.budget.FairBudget;
import dev.atoll.engine.store.ServiceRows;
import dev.atoll.model.Json;
import dev.atoll.model.ServiceLogLine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/**
 * What all instances of a service have written: the newest lines in memory for those who read, and
 * in two files, each of a bounded size, for the next server. Thread-safe; the lock is a leaf.
 */
public final class ServiceLog {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceLog.class);
  private static final int MOST_LINES = 10_000;
  private static final int LINE_COST = 128;
  private static final int MOST_CHARACTERS = 2 << 20;
  private static final long FILE_BYTES = 4L << 20;

  private final Path file;
  private final Path older;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition more = lock.newCondition();
  private final List<ServiceLogLine> lines = new ArrayList<>();
  private final Map<String, Long> ends = new HashMap<>();
  private final BudgetAccount memory;
  private long paid;
  private long first;
  private long characters;
  private long written;
  private boolean closed;

  /**
   * A line and where the output ends that it came with, so that a new server goes on there.
   *
   * @param run of the program; empty for what no program has said
   */
  record Entry(ServiceLogLine line, String run, long end) {}

  /**
   * @param memory pays for the lines that are in memory; what it cannot pay for is in the files
   *     alone
   */
  ServiceLog(Path folder, BudgetAccount memory) {
    this.memory = memory;
    this.file = folder.resolve("log.ndjson");
    this.older = folder.resolve("log.1.ndjson");
    load(older);
    load(file);
    this.written = size(file);
  }

  /** The log of a service, in its own folder below that one. */
  static ServiceLog of(ServiceRows.Row row, Path folder) {
    return new ServiceLog(
        folder.resolve(row.id()), new BudgetAccount(FairBudget.HEAP, row.project()));
  }

  private static long size(Path file) {
    try {
      return Files.exists(file) ? Files.size(file) : 0;
    } catch (IOException e) {
      return 0;
    }
  }

  private void load(Path part) {
    try {
      if (!Files.exists(part)) {
        return;
      }
      for (String line : Files.readAllLines(part, StandardCharsets.UTF_8)) {
        try {
          keep(Json.lenient().readValue(line, Entry.class));
        } catch (JacksonException e) {
          // Half a line, of a server that was killed while it wrote.
        }
      }
    } catch (IOException e) {
      LOG.warn("{} cannot be read: {}", part, e.getMessage());
    }
  }

  void add(List<Entry> entries) {
    StringBuilder text = new StringBuilder();
    entries.forEach(entry -> text.append(Json.lenient().writeValueAsString(entry)).append('\n'));
    lock.lock();
    try {
      append(text.toString().getBytes(StandardCharsets.UTF_8));
      entries.forEach(this::keep);
      more.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** A log that cannot be written must not end the service: what is lost is its record. */
  private void append(byte[] bytes) {
    if (closed) {
      return;
    }
    try {
      if (written > FILE_BYTES) {
        Files.move(file, older, StandardCopyOption.REPLACE_EXISTING);
        written = 0;
      }
      Files.createDirectories(file.getParent());
      Files.write(file, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      written += bytes.length;
    } catch (IOException e) {
      LOG.warn("{} cannot be written: {}", file, e.getMessage());
    }
  }

  private void keep(Entry entry) {
    lines.add(entry.line());
    characters += entry.line().text().length();
    if (!entry.run().isEmpty()) {
      ends.merge(entry.line().instance() + entry.run(), entry.end(), Math::max);
    }
    while (lines.size() > MOST_LINES || characters > MOST_CHARACTERS || !pay()) {
      List<ServiceLogLine> half = lines.subList(0, (lines.size() + 1) / 2);
      characters -= half.stream().mapToLong(line -> line.text().length()).sum();
      first += half.size();
      half.clear();
    }
  }

  private boolean pay() {
    if (closed) {
      return true;
    }
    long weight = 2 * characters + (long) LINE_COST * lines.size();
    if (weight <= paid) {
      memory.give(paid - weight);
    } else if (!memory.take(weight - paid)) {
      return lines.isEmpty();
    }
    paid = weight;
    return true;
  }

  /** Nothing is written to its files any more. */
  void close() {
    lock.lock();
    try {
      closed = true;
      memory.give(paid);
      paid = 0;
    } finally {
      lock.unlock();
    }
  }

  /** Up to where the output of a program is in the log. */
  long end(String sandbox, String run) {
    lock.lock();
    try {
      return ends.getOrDefault(sandbox + run, 0L);
    } finally {
      lock.unlock();
    }
  }

  /** An instance writes nothing any more. */
  void forget(String sandbox) {
    lock.lock();
    try {
      ends.keySet().removeIf(key -> key.startsWith(sandbox));
    } finally {
      lock.unlock();
    }
  }

  /** What an instance has written last. */
  List<String> tail(String sandbox, int count) {
    lock.lock();
    try {
      List<String> own =
          lines.stream()
              .filter(line -> line.instance().equals(sandbox))
              .map(ServiceLogLine::text)
              .toList();
      return List.copyOf(own.subList(Math.max(0, own.size() - count), own.size()));
    } finally {
      lock.unlock();
    }
  }

  /** A reader that begins so many lines before the end. */
  public Reader read(int tail) {
    lock.lock();
    try {
      return new Reader(first + Math.max(0, lines.size() - tail));
    } finally {
      lock.unlock();
    }
  }

  /** Goes through the lines in order. For one thread. */
  public final class Reader {
    private static final int MOST = 256;
    private long next;

    private Reader(long next) {
      this.next = next;
    }

    /** The next lines, waiting for one if need be; empty when none came in time. */
    public List<ServiceLogLine> next(Duration wait) {
      lock.lock();
      try {
        long left = wait.toNanos();
        while (next >= first + lines.size() && left > 0) {
          left = more.awaitNanos(left);
        }
        next = Math.max(next, first);
        int from = (int) (next - first);
        List<ServiceLogLine> found =
            List.copyOf(lines.subList(from, Math.min(lines.size(), from + MOST)));
        next += found.size();
        return found;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return List.of();
      } finally {
        lock.unlock();
      }
    }
  }
}
