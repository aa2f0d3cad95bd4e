package dev.atoll.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Connection;
import dev.atoll.model.ConnectionVerdict;
import dev.atoll.model.ConnectionWay;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class ConnectionFeedTest {
  @Test
  void whatASlowCallerHasNoRoomForIsCounted() {
    ConnectionFeed feed = new ConnectionFeed(new ConnectionFilter("alpha", null, null));
    for (int i = 0; i < ConnectionFeed.ROOM + 3; i++) {
      feed.offer(connection("alpha", "sbx_1", ConnectionVerdict.ALLOWED));
    }
    assertThat(feed.missed()).isEqualTo(3);
    assertThat(feed.missed()).isZero();
    assertThat(feed.next(Duration.ZERO)).isNotNull();
    feed.offer(connection("alpha", "sbx_1", ConnectionVerdict.ALLOWED));
    assertThat(feed.missed()).isZero();
  }

  @Test
  void onlyTheCallersOwnAreSeen() {
    ConnectionFilter filter = new ConnectionFilter("alpha", "sbx_1", ConnectionVerdict.REFUSED);
    ConnectionFeed feed = new ConnectionFeed(filter);
    feed.offer(connection("beta", "sbx_1", ConnectionVerdict.REFUSED));
    feed.offer(connection("alpha", "sbx_2", ConnectionVerdict.REFUSED));
    feed.offer(connection("alpha", "sbx_1", ConnectionVerdict.FAILED));
    assertThat(feed.next(Duration.ofMillis(1))).isNull();
    Connection own = connection("alpha", "sbx_1", ConnectionVerdict.REFUSED);
    feed.offer(own);
    assertThat(feed.next(Duration.ZERO)).isEqualTo(own);
  }

  private static Connection connection(String project, String sandbox, ConnectionVerdict verdict) {
    return new Connection(
        "con_1",
        Instant.EPOCH,
        sandbox,
        project,
        "a.test",
        null,
        443,
        ConnectionWay.DIRECT,
        verdict,
        "packages",
        null,
        0,
        0,
        1L,
        null);
  }
}
