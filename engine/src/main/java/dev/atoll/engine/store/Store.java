package dev.atoll.engine.store;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConnection;

/**
 * The database. One connection writes, under one lock: SQLite has one writer anyway, and every
 * statement here takes well under a millisecond. Another one reads, so that reads go on while
 * writes wait or fail. A statement that returned is on disk (WAL, synchronous=FULL).
 *
 * <p>On a full disk writes are refused with {@link ErrorCode#STORAGE_FULL}, except those that
 * {@link #freeing free} something: for them a {@link Reserve} is given up. While another process
 * holds the database, writes are refused with {@link ErrorCode#STORAGE_BUSY}: the first waits a
 * moment, the others do not wait behind it.
 */
public final class Store implements AutoCloseable {
  private final Path file;
  private final ReentrantLock writing = new ReentrantLock();
  private final ReentrantLock reading = new ReentrantLock();
  private final SQLiteConnection writer;
  private final SQLiteConnection reader;
  private final Reserve reserve;
  private final Steps steps;

  /** Whether whoever opened it has put things in order; what that needs is written at all costs. */
  private volatile boolean ready;

  /** Whether the last write found the database locked; guarded by {@link #writing}. */
  private boolean locked;

  private Store(
      Path file, SQLiteConnection writer, SQLiteConnection reader, Reserve reserve, Steps steps) {
    this.file = file;
    this.writer = writer;
    this.reader = reader;
    this.reserve = reserve;
    this.steps = steps;
  }

  /** Told before each step after which a process may be no more; for tests, which stop there. */
  public interface Steps {
    void before(String step);
  }

  /** Opens the database file, making or migrating it as needed. */
  public static Store open(Path file) {
    return open(file, step -> {});
  }

  /** The same, telling of its steps. */
  public static Store open(Path file, Steps steps) {
    DatabaseFile database = new DatabaseFile(file);
    try {
      database.check();
      // Before anything is written: on a full disk the room is for the server to start.
      Reserve reserve = new Reserve(file.resolveSibling("reserve"));
      database.migrate();
      SQLiteConnection writer = database.writer();
      SQLiteConnection reader = database.reader();
      Store store = new Store(file, writer, reader, reserve, steps);
      database.directory().claim(store.id());
      return store;
    } catch (SQLException e) {
      throw StoreFailure.of(e, file);
    }
  }

  /** The id that this database and its data directory have in common. */
  private String id() {
    List<String> found = query(row -> row.getString(1), "SELECT id FROM data_directory");
    if (!found.isEmpty()) {
      return found.getFirst();
    }
    String id = UUID.randomUUID().toString();
    update("INSERT INTO data_directory (id) VALUES (?)", id);
    return id;
  }

  /** From now on, what is left of a full disk is for removals alone. */
  public void ready() {
    ready = true;
  }

  /** Refuses a file that is no intact database of the directory it is in. */
  public static void check(Path file) {
    new DatabaseFile(file).check();
  }

  /**
   * Writes a copy of this moment where nothing is, while others go on.
   *
   * @return the images that it speaks of
   */
  public List<String> copyTo(Path copy) {
    return new DatabaseFile(file).copyTo(copy);
  }

  /** Reads one row. */
  public interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }

  /** Changes rows and says how many. A lone removal {@link #freeing frees}. */
  public int update(String sql, @Nullable Object... values) {
    return writing.isHeldByCurrentThread()
        ? execute(sql, values)
        : write(
            sql.startsWith("DELETE"),
            () -> {
              int changed = execute(sql, values);
              steps.before("go on");
              return changed;
            });
  }

  private int execute(String sql, @Nullable Object... values) {
    steps.before(sql);
    try (PreparedStatement statement = prepare(writer, sql, values)) {
      return statement.executeUpdate();
    } catch (SQLException e) {
      throw StoreFailure.of(e, file);
    }
  }

  public <T> List<T> query(RowReader<T> row, String sql, @Nullable Object... values) {
    // Within a transaction the caller sees what it has written.
    if (writing.isHeldByCurrentThread()) {
      return query(writer, row, sql, values);
    }
    reading.lock();
    try {
      return query(reader, row, sql, values);
    } finally {
      reading.unlock();
    }
  }

  private <T> List<T> query(
      SQLiteConnection connection, RowReader<T> row, String sql, @Nullable Object... values) {
    try (PreparedStatement statement = prepare(connection, sql, values);
        ResultSet rows = statement.executeQuery()) {
      List<T> result = new ArrayList<>();
      while (rows.next()) {
        result.add(row.read(rows));
      }
      return result;
    } catch (SQLException e) {
      throw StoreFailure.of(e, file);
    }
  }

  /** Does several statements as one: all of them or none. */
  public void transaction(Runnable work) {
    transaction(false, work);
  }

  /**
   * The same for work that ends or removes something, and so must be possible on a full disk; it
   * may be done twice, of which once counts.
   */
  public void freeing(Runnable work) {
    transaction(true, work);
  }

  private void transaction(boolean freeing, Runnable work) {
    if (writing.isHeldByCurrentThread()) {
      // Part of a transaction that is under way.
      work.run();
      return;
    }
    boolean _ = write(freeing, () -> atOnce(work));
  }

  private boolean atOnce(Runnable work) {
    boolean done = false;
    try {
      command("BEGIN IMMEDIATE");
      work.run();
      steps.before("COMMIT");
      command("COMMIT");
      done = true;
      steps.before("go on");
      return true;
    } catch (SQLException e) {
      throw StoreFailure.of(e, file);
    } finally {
      if (!done) {
        rollBack();
      }
    }
  }

  private void command(String sql) throws SQLException {
    try (PreparedStatement statement = writer.prepareStatement(sql)) {
      boolean _ = statement.execute();
    }
  }

  private void rollBack() {
    try {
      command("ROLLBACK");
    } catch (SQLException e) {
      // SQLite has done so by itself: it does when it could not write.
    }
  }

  private <T> T write(boolean freeing, Supplier<T> work) {
    writing.lock();
    try {
      if (!freeing && ready && !reserve.held()) {
        throw StoreFailure.full(file, null);
      }
      T result = attempt(freeing, work);
      if (locked) {
        patience(DatabaseFile.PATIENCE_MILLIS);
        locked = false;
      }
      return result;
    } finally {
      writing.unlock();
    }
  }

  private <T> T attempt(boolean freeing, Supplier<T> work) {
    try {
      return work.get();
    } catch (AtollException e) {
      if (e.code() == ErrorCode.STORAGE_BUSY && !locked) {
        patience(0);
        locked = true;
      }
      if (freeing && e.code() == ErrorCode.STORAGE_FULL && reserve.release()) {
        return work.get();
      }
      throw e;
    }
  }

  private void patience(int millis) {
    try {
      writer.setBusyTimeout(millis);
    } catch (SQLException e) {
      throw StoreFailure.of(e, file);
    }
  }

  private static PreparedStatement prepare(
      SQLiteConnection connection, String sql, @Nullable Object... values) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    return statement;
  }

  @Override
  public void close() {
    writing.lock();
    reading.lock();
    try {
      reader.close();
      writer.close();
    } catch (SQLException e) {
      throw StoreFailure.of(e, file);
    } finally {
      reading.unlock();
      writing.unlock();
    }
  }
}
