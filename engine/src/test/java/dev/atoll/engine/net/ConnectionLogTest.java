package dev.atoll.engine.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.engine.ConnectionQuery;
import dev.atoll.engine.store.ConnectionRows;
import dev.atoll.engine.store.Store;
import dev.atoll.model.Connection;
import dev.atoll.model.ConnectionVerdict;
import dev.atoll.model.ConnectionWay;
import dev.atoll.model.Page;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ConnectionLogTest {
  private final Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);

  @TempDir Path folder;

  @Test
  void connectionsAreListedBySandboxVerdictAndTimePageByPage() {
    try (Store store = Store.open(folder.resolve("atoll.db"));
        ConnectionLog log = new ConnectionLog(new ConnectionRows(store))) {
      for (int i = 0; i < 250; i++) {
        log.record(
            connection(
                "con_" + i,
                i % 2 == 0 ? "sbx_1" : "sbx_2",
                i % 5 == 0 ? ConnectionVerdict.REFUSED : ConnectionVerdict.ALLOWED,
                now.minusSeconds(i),
                5L));
      }
      List<String> ids = new ArrayList<>();
      String cursor = null;
      do {
        Page<Connection> page = log.list("p", query(cursor, "sbx_1", null, null));
        page.items().forEach(c -> ids.add(c.id()));
        cursor = page.nextCursor();
      } while (cursor != null);
      assertThat(ids).hasSize(125).doesNotHaveDuplicates().startsWith("con_0", "con_2");
      assertThat(
              log.list("p", query(null, null, ConnectionVerdict.REFUSED, now.minusSeconds(20)))
                  .items())
          .hasSize(5);
      assertThat(log.list("other", query(null, null, null, null)).items()).isEmpty();
    }
  }

  @Test
  void anOpenConnectionIsVisibleAndEndsOnce() {
    try (Store store = Store.open(folder.resolve("atoll.db"));
        ConnectionLog log = new ConnectionLog(new ConnectionRows(store))) {
      List<@Nullable Long> seen = new ArrayList<>();
      ConnectionLog.Subscription subscription = log.subscribe(c -> seen.add(c.durationMillis()));
      log.record(connection("con_1", "sbx_1", ConnectionVerdict.ALLOWED, now, null));
      assertThat(log.list("p", ConnectionQuery.of("sbx_1")).items().getFirst().durationMillis())
          .isNull();
      log.record(connection("con_1", "sbx_1", ConnectionVerdict.ALLOWED, now, 9L));
      assertThat(log.list("p", ConnectionQuery.of("sbx_1")).items())
          .containsExactly(connection("con_1", "sbx_1", ConnectionVerdict.ALLOWED, now, 9L));
      subscription.close();
      log.record(connection("con_2", "sbx_1", ConnectionVerdict.ALLOWED, now, null));
      assertThat(seen).containsExactly(null, 9L);
    }
    try (Store store = Store.open(folder.resolve("atoll.db"))) {
      ConnectionRows rows = new ConnectionRows(store);
      assertThat(rows.endOpen("restarted")).isEqualTo(1);
      assertThat(rows.bytesOfSandbox("sbx_1", now)).isEqualTo(6);
      assertThat(rows.bytesOfProject("p", now.plusSeconds(1))).isZero();
    }
  }

  @Test
  void theOldAndTheTooManyAreForgotten() {
    try (Store store = Store.open(folder.resolve("atoll.db"));
        ConnectionLog log = new ConnectionLog(new ConnectionRows(store))) {
      for (int i = 0; i < 20; i++) {
        log.record(
            connection(
                "con_" + i, "sbx_1", ConnectionVerdict.ALLOWED, now.minus(Duration.ofDays(i)), 1L));
      }
      log.flush();
      log.purge(Duration.ofHours(10 * 24 + 1), 4);
      assertThat(log.list("p", ConnectionQuery.of("sbx_1")).items())
          .extracting(Connection::id)
          .containsExactly("con_0", "con_1", "con_2", "con_3");
    }
  }

  private static ConnectionQuery query(
      @Nullable String cursor,
      @Nullable String sandbox,
      @Nullable ConnectionVerdict verdict,
      @Nullable Instant since) {
    return new ConnectionQuery(50, cursor, sandbox, verdict, since, null);
  }

  private static Connection connection(
      String id, String sandbox, ConnectionVerdict verdict, Instant time, @Nullable Long duration) {
    return new Connection(
        id,
        time,
        sandbox,
        "p",
        "a.test",
        null,
        443,
        ConnectionWay.DIRECT,
        verdict,
        "open",
        null,
        1,
        2,
        duration,
        null);
  }
}
