package dev.atoll.sdk;

import dev.atoll.sdk.transport.HttpClientTransport;
import dev.atoll.sdk.transport.Transport;
import dev.atoll.sdk.transport.UrlConnectionTransport;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;

/** Clients and answers that the tests share. */
final class Fixture {
  static final String KEY = "e2b_0123456789012345678901234567890123456789";
  static final String SANDBOX =
      """
      {"id":"sbx_1","state":"running","template":"python","templateDigest":"d","isolation":"gvisor",
       "driver":"gvisor","cpus":1,"memoryMiB":512,"diskMiB":1024,"processes":128,
       "persistent":false,"createdAt":"2026-11-15T00:00:00Z","lastUsedAt":"2026-11-15T00:00:00Z"}
      """;
  static final String SNAPSHOT =
      """
      {"id":"snp_1","name":"base","kind":"memory","state":"ready","automatic":false,
       "sandbox":"sbx_1","template":"python","templateDigest":"d","isolation":"gvisor",
       "driver":"gvisor","driverVersion":"1","cpus":1,"memoryMiB":512,"diskMiB":1024,
       "processes":128,"createdAt":"2026-11-15T00:00:00Z","totalBytes":4096,"ownBytes":1024}
      """;
  static final String POOL =
      """
      {"id":"pool_1","name":"workers","template":"python","warm":3,"max":20,"cpus":1,
       "memoryMiB":512,"diskMiB":1024,"processes":128,"network":{"mode":"none"},"ready":2,"claimed":1,"hits":5,"misses":1,
       "createdAt":"2026-11-15T00:00:00Z"}
      """;
  static final String STARTED = "{\"type\":\"started\",\"id\":\"run_1\",\"pid\":7}";
  static final String END =
      "{\"type\":\"end\",\"status\":\"ok\",\"exitCode\":0,\"durationMillis\":5,\"outputBytes\":0}";

  private Fixture() {}

  static Stream<Transport> transports() {
    return Stream.of(new HttpClientTransport(), new UrlConnectionTransport());
  }

  static Atoll client(FakeServer server, Transport transport) {
    return Atoll.builder()
        .url(server.url())
        .apiKey(KEY)
        .transport(transport)
        .retryPolicy(quick())
        .environment(Map.of())
        .build();
  }

  static Atoll client(FakeServer server) {
    return client(server, new HttpClientTransport());
  }

  static RetryPolicy quick() {
    return new RetryPolicy(4, Duration.ofMillis(5), Duration.ofSeconds(2), Duration.ofSeconds(10));
  }

  static String stdout(long offset, String text) {
    return "{\"type\":\"stdout\",\"offset\":" + offset + ",\"text\":\"" + text + "\"}";
  }
}
