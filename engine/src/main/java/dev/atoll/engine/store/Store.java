package dev.atoll.engine.store;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/**
 * The database. One connection under one lock: SQLite has one writer anyway, and every statement
 * here takes well under a millisecond. A statement that returned is on disk (WAL,
 * synchronous=FULL).
 */
public final class Store implements AutoCloseable {
  private final ReentrantLock lock = new ReentrantLock();
  private final Connection connection;

  private Store(Connection connection) {
    this.connection = connection;
  }

  /** Opens the database file, making or migrating it as needed. */
  public static Store open(Path file) {
    SQLiteConfig config = new SQLiteConfig();
    config.setJournalMode(SQLiteConfig.JournalMode.WAL);
    config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
    config.setBusyTimeout(5000);
    SQLiteDataSource source = new SQLiteDataSource(config);
    source.setUrl("jdbc:sqlite:" + file);
    Flyway.configure()
        .dataSource(source)
        .locations("classpath:dev/atoll/engine/store/migration")
        .load()
        .migrate();
    try {
      return new Store(source.getConnection());
    } catch (SQLException e) {
      throw broken(e);
    }
  }

  /** Reads one row. */
  public interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }

  /** Changes rows and says how many. */
  public int update(String sql, @Nullable Object... values) {
    lock.lock();
    try (PreparedStatement statement = prepare(sql, values)) {
      return statement.executeUpdate();
    } catch (SQLException e) {
      throw broken(e);
    } finally {
      lock.unlock();
    }
  }

  public <T> List<T> query(RowReader<T> reader, String sql, @Nullable Object... values) {
    lock.lock();
    try (PreparedStatement statement = prepare(sql, values);
        ResultSet rows = statement.executeQuery()) {
      List<T> result = new ArrayList<>();
      while (rows.next()) {
        result.add(reader.read(rows));
      }
      return result;
    } catch (SQLException e) {
      throw broken(e);
    } finally {
      lock.unlock();
    }
  }

  /** Does several statements as one: all of them or none. */
  public void transaction(Runnable work) {
    if (lock.isHeldByCurrentThread()) {
      // Part of a transaction that is under way.
      work.run();
      return;
    }
    lock.lock();
    try {
      connection.setAutoCommit(false);
      boolean done = false;
      try {
        work.run();
        connection.commit();
        done = true;
      } finally {
        if (!done) {
          connection.rollback();
        }
        connection.setAutoCommit(true);
      }
    } catch (SQLException e) {
      throw broken(e);
    } finally {
      lock.unlock();
    }
  }

  private PreparedStatement prepare(String sql, @Nullable Object... values) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    return statement;
  }

  private static AtollException broken(SQLException e) {
    boolean taken = String.valueOf(e.getMessage()).contains("UNIQUE constraint failed");
    return new AtollException(
        taken ? ErrorCode.CONFLICT : ErrorCode.INTERNAL,
        "the database refused: " + e.getMessage(),
        null,
        Map.of(),
        e);
  }

  @Override
  public void close() {
    lock.lock();
    try {
      connection.close();
    } catch (SQLException e) {
      throw broken(e);
    } finally {
      lock.unlock();
    }
  }
}
