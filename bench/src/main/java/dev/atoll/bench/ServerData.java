package dev.atoll.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The data directory of the server that is measured, read beside it. */
final class ServerData {
  private final Path home;

  ServerData(Path home) {
    this.home = home;
  }

  /** What a sandbox's machine takes of the host's memory. */
  double mebibytes(String sandbox) throws IOException {
    Path pid = home.resolve("sandboxes").resolve(machine(sandbox)).resolve("keeper.pid");
    return ProcessMemory.mebibytes(Long.parseLong(Files.readString(pid).strip()));
  }

  /** The machine has a name of its own: one from a pool has lived before the sandbox. */
  private String machine(String sandbox) {
    String url = "jdbc:sqlite:file:" + home.resolve("atoll.db") + "?mode=ro";
    try (Connection connection = DriverManager.getConnection(url);
        PreparedStatement statement =
            connection.prepareStatement("SELECT machine FROM sandboxes WHERE id = ?")) {
      statement.setString(1, sandbox);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          throw new IllegalStateException("the server's store has no sandbox " + sandbox);
        }
        return row.getString(1);
      }
    } catch (SQLException e) {
      throw new IllegalStateException("cannot read the server's store", e);
    }
  }
}
