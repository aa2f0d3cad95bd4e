package dev.atoll.server;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Every row of the server's database, as text. */
final class TenantRows {
  private TenantRows() {}

  static Set<String> read(Path database) throws SQLException {
    Set<String> rows = new TreeSet<>();
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
        Statement statement = connection.createStatement()) {
      for (String table : tables(statement)) {
        // The names of tables come from the database itself.
        try (ResultSet found = statement.executeQuery("SELECT * FROM \"" + table + "\"")) {
          while (found.next()) {
            rows.add(table + row(found));
          }
        }
      }
    }
    return rows;
  }

  private static List<String> tables(Statement statement) throws SQLException {
    List<String> tables = new ArrayList<>();
    try (ResultSet found =
        statement.executeQuery("SELECT name FROM sqlite_master WHERE type = 'table'")) {
      while (found.next()) {
        tables.add(found.getString(1));
      }
    }
    return tables;
  }

  private static String row(ResultSet row) throws SQLException {
    StringBuilder text = new StringBuilder();
    for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
      Object value = row.getObject(i);
      text.append(' ').append(row.getMetaData().getColumnName(i)).append('=');
      text.append(value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : value);
    }
    return text.toString();
  }
}
