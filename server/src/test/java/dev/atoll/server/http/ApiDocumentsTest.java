package dev.atoll.server.http;

import static dev.atoll.server.http.TestingServer.header;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

final class ApiDocumentsTest {
  @Test
  void pageNeedsNothingFromElsewhere() throws Exception {
    ApiDocuments documents = new ApiDocuments();
    try (TestingServer server =
        new TestingServer(
            Route.get("/docs", documents::page).open(Access.OPEN),
            Route.get("/openapi.yaml", documents::spec).open(Access.OPEN))) {
      HttpResponse<String> page = server.get("/docs");
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.body())
          .contains("createSandbox")
          .doesNotContain("/*spec*/", "/*style*/", "/*script*/")
          .doesNotContainPattern("(src|href)=\"https?:");
      assertThat(header(page, "Content-Security-Policy"))
          .contains("default-src 'none'")
          .contains("script-src 'sha256-");
      HttpResponse<String> spec = server.get("/openapi.yaml");
      assertThat(spec.body()).startsWith("openapi: 3.1");
      assertThat(header(spec, "Content-Type")).startsWith("application/yaml");
    }
  }

  @Test
  void metricsAreCountedByRoute() throws Exception {
    try (TestingServer server =
        new TestingServer(Route.get("/v1/thing/{id}", Exchange::noContent))) {
      server.get("/v1/thing/a");
      server.get("/v1/thing/b");
      server.get("/nothing");
      for (int i = 0; i < 100 && !server.metrics.scrape().contains("unmatched"); i++) {
        Thread.sleep(10);
      }
      assertThat(server.metrics.scrape())
          .contains(
              "atoll_http_requests_seconds_count{method=\"GET\",route=\"/v1/thing/{id}\",status=\"204\"} 2")
          .contains("route=\"unmatched\",status=\"404\"")
          .contains("jvm_memory_used_bytes");
    }
  }
}
