package dev.atoll.server.http;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.server.config.ConfigException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TakenPortTest {
  @Test
  void aPortThatIsTakenIsToldWithWhatToDo() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      HttpConfig config =
          new HttpConfig(
              "127.0.0.1",
              other.getLocalPort(),
              1 << 20,
              List.of(),
              false,
              Duration.ofSeconds(5),
              Duration.ofSeconds(5),
              PortDomain.parse("localhost"));
      assertThatThrownBy(() -> new TestingServer(config).close())
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("127.0.0.1:" + other.getLocalPort())
          .hasMessageContaining("in use")
          .hasMessageContaining("ATOLL_SERVER_PORT");
    }
  }
}
