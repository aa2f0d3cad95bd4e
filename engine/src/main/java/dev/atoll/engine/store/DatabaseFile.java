package dev.atoll.engine.store;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.exception.FlywayValidateException;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteDataSource;

/** The file of the database, and the ways into it. */
record DatabaseFile(Path path) {
  /** How long a write waits for another process that holds the database. */
  static final int PATIENCE_MILLIS = 2000;

  private static final int MOST_CAUSES = 10;

  /** Refuses what is no database of this directory, before anything in it is changed. */
  void check() {
    DataDirectory directory = directory();
    if (isMissing()) {
      directory.requireNew();
      return;
    }
    try (Connection connection = source().getConnection();
        Statement statement = connection.createStatement()) {
      String verdict = text(statement, "PRAGMA quick_check(1)");
      if (!"ok".equals(verdict)) {
        throw StoreFailure.damaged(path, new SQLException(verdict));
      }
      directory.requireOwn(id(statement));
    } catch (SQLException e) {
      throw StoreFailure.of(e, path);
    }
  }

  DataDirectory directory() {
    return new DataDirectory(path.toAbsolutePath().resolveSibling("").normalize());
  }

  /** A server makes the file before it is a database, so that nobody else may read it. */
  private boolean isMissing() {
    try {
      return !Files.exists(path) || Files.size(path) == 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static @Nullable String id(Statement statement) throws SQLException {
    return text(statement, "SELECT name FROM sqlite_master WHERE name='data_directory'") == null
        ? null
        : text(statement, "SELECT id FROM data_directory");
  }

  private static @Nullable String text(Statement statement, String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      return rows.next() ? rows.getString(1) : null;
    }
  }

  /** Brings the schema up to date; one that is ahead of this program is refused. */
  void migrate() {
    try {
      Flyway.configure()
          .dataSource(source())
          .locations("classpath:dev/atoll/engine/store/migration")
          .ignoreMigrationPatterns(new String[0])
          .load()
          .migrate();
    } catch (FlywayValidateException e) {
      throw new AtollException(
          ErrorCode.CONFLICT,
          "the database %s was written by another version of Atoll: %s"
              .formatted(path, String.valueOf(e.getMessage()).lines().findFirst().orElse("")),
          "start the version that wrote it, or a later one; nothing in the data directory was"
              + " changed");
    } catch (FlywayException e) {
      throw StoreFailure.of(cause(e), path);
    }
  }

  private static SQLException cause(FlywayException e) {
    Throwable at = e;
    for (int i = 0; i < MOST_CAUSES && at != null; i++) {
      if (at instanceof SQLException found) {
        return found;
      }
      at = at.getCause();
    }
    return new SQLException(e.getMessage(), e);
  }

  /** Copies what is committed, and says which images the copy speaks of. */
  List<String> copyTo(Path copy) {
    try (Connection connection = source().getConnection();
        PreparedStatement statement = connection.prepareStatement("VACUUM INTO ?")) {
      statement.setString(1, copy.toString());
      boolean _ = statement.execute();
    } catch (SQLException e) {
      throw StoreFailure.of(e, path);
    }
    List<String> images = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + copy);
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT id FROM snapshots WHERE state='ready' UNION SELECT image FROM sandboxes"
                    + " WHERE image IS NOT NULL AND state='hibernated'")) {
      while (rows.next()) {
        images.add(rows.getString(1));
      }
      return images;
    } catch (SQLException e) {
      throw StoreFailure.of(e, copy);
    }
  }

  SQLiteConnection writer() throws SQLException {
    return (SQLiteConnection) source().getConnection();
  }

  SQLiteConnection reader() throws SQLException {
    SQLiteConnection connection = writer();
    try (Statement statement = connection.createStatement()) {
      boolean _ = statement.execute("PRAGMA query_only=1");
    }
    return connection;
  }

  private SQLiteDataSource source() {
    SQLiteConfig config = new SQLiteConfig();
    config.setJournalMode(SQLiteConfig.JournalMode.WAL);
    config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
    config.setBusyTimeout(PATIENCE_MILLIS);
    SQLiteDataSource source = new SQLiteDataSource(config);
    source.setUrl("jdbc:sqlite:" + path);
    return source;
  }
}
