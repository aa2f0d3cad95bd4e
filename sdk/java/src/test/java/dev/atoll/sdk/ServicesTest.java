package dev.atoll.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.atoll.model.DeployEvent;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.PortShare;
import dev.atoll.model.RevisionState;
import dev.atoll.model.ServiceInfo;
import dev.atoll.model.ServiceLogLine;
import dev.atoll.model.ServiceRevision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The calls; what they lead to is tested against a whole server. */
@Timeout(60)
class ServicesTest {
  private static final String SERVICE =
      ("{'id':'svc_1','name':'hello','state':'active','revision':2,'previous':1,'port':8080,"
              + "'start':'run','scale':{'min':0,'max':3,'idleSeconds':60.0,'concurrency':10},"
              + "'access':'private','instances':[{'sandbox':'sbx_7','name':'hello-r2-abc',"
              + "'revision':2,'state':'ready','inFlight':1,'restarts':0}],'waiting':0,"
              + "'createdAt':'2026-11-15T00:00:00Z','url':'http://svc-1.localhost:7070/'}")
          .replace('\'', '"');
  private static final String SHARE =
      ("{'id':'shr_1','port':8080,'createdAt':'2026-11-15T00:00:00Z',"
              + "'expiresAt':'2026-11-16T00:00:00Z','token':'apt_1','url':'http://h/'}")
          .replace('\'', '"');

  private final FakeServer server = new FakeServer();
  private final Services services = Fixture.client(server).services();

  @AfterEach
  void stop() {
    server.close();
  }

  private void answers(String methodAndPath, int status, String body) {
    server.on(methodAndPath, exchange -> FakeServer.answer(exchange, status, body));
  }

  private String lastBody() {
    return server.seen().get(server.seen().size() - 1).body();
  }

  private static String line(String text) {
    return ("{'type':'line','line':{'time':'2026-11-15T00:00:00Z','instance':'sbx_7',"
            + "'revision':2,'stream':'stdout','text':'"
            + text
            + "'}}")
        .replace('\'', '"');
  }

  @Test
  void aDeploymentTellsHowItGoesAndGivesTheService(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("main.py"), "print()");
    answers(
        "POST /v1/services",
        200,
        "{\"type\":\"progress\",\"message\":\"making a sandbox\"}\n{\"type\":\"ping\"}\n"
            + "{\"type\":\"output\",\"text\":\"begun\"}\n{\"type\":\"ready\",\"service\":"
            + SERVICE
            + "}\n");
    List<DeployEvent> events = new ArrayList<>();
    ServiceOptions options =
        new ServiceOptions().directory(folder).start("python3 main.py").max(3).env("A", "b");
    ServiceInfo service = services.deploy(options.spec("hello"), events::add);
    assertThat(service.url()).isEqualTo("http://svc-1.localhost:7070/");
    assertThat(service.previous()).isEqualTo(1);
    assertThat(events)
        .contains(
            new DeployEvent.DeployStep("making a sandbox"), new DeployEvent.DeployOutput("begun"));
    assertThat(lastBody()).contains("\"archive\":", "\"max\":3", "\"A\":\"b\"");
    assertThat(server.seen().get(0).header("Accept")).isEqualTo("application/x-ndjson");
  }

  @Test
  void aDeploymentThatFailsOrWhoseConnectionBreaksIsAnException() {
    answers(
        "POST /v1/services",
        200,
        "{\"type\":\"failed\",\"error\":{\"code\":\"deploy_failed\",\"message\":\"it ended\","
            + "\"requestId\":\"r\",\"details\":{\"revision\":2}}}\n");
    ApiException failed =
        catchThrowableOfType(
            ApiException.class, () -> services.deploy("hello", s -> s.start("false")));
    assertThat(failed.code()).isEqualTo(ErrorCode.DEPLOY_FAILED);
    assertThat(failed).hasMessageContaining("it ended");
    answers("POST /v1/services", 200, "{\"type\":\"progress\",\"message\":\"making\"}\n");
    assertThatThrownBy(() -> services.deploy("hello", s -> s.start("false")))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("the connection broke while hello was being deployed");
    assertThat(server.seen()).hasSize(2);
  }

  @Test
  void servicesAreListedChangedRolledBackAndDeleted() {
    answers("GET /v1/services", 200, "{\"items\":[" + SERVICE + "]}");
    answers("GET /v1/services/hello", 200, SERVICE);
    answers("PATCH /v1/services/hello", 200, SERVICE);
    answers("POST /v1/services/hello/rollback", 200, SERVICE);
    answers("POST /v1/services/hello/stop", 200, SERVICE);
    answers("DELETE /v1/services/hello", 204, "");
    assertThat(services.list()).extracting(ServiceInfo::name).containsExactly("hello");
    assertThat(services.get("hello").instances()).hasSize(1);
    services.update("hello", s -> s.min(1));
    assertThat(lastBody()).isEqualTo("{\"min\":1}");
    assertThat(services.rollback("hello").revision()).isEqualTo(2);
    assertThat(services.stop("hello").name()).isEqualTo("hello");
    services.delete("hello");
    assertThat(server.targets()).last().isEqualTo("DELETE /v1/services/hello");
    server.on(
        "GET /v1/services/none", exchange -> FakeServer.error(exchange, 404, "service_not_found"));
    assertThatThrownBy(() -> services.get("none")).isInstanceOf(NotFoundException.class);
    server.on(
        "POST /v1/services/none/rollback", exchange -> FakeServer.error(exchange, 409, "conflict"));
    assertThatThrownBy(() -> services.rollback("none")).isInstanceOf(ConflictException.class);
  }

  @Test
  void revisionsAreListed() {
    answers(
        "GET /v1/services/hello/revisions",
        200,
        "{\"items\":[{\"number\":2,\"state\":\"current\",\"start\":\"run\",\"port\":8080,"
            + "\"createdAt\":\"2026-11-15T00:00:00Z\"}]}");
    assertThat(services.revisions("hello"))
        .extracting(ServiceRevision::state)
        .containsExactly(RevisionState.CURRENT);
  }

  @Test
  void logsAreReadAndFollowedAcrossABrokenConnection() {
    server.on(
        "GET /v1/services/hello/logs",
        exchange -> {
          FakeServer.lines(exchange, "{\"type\":\"following\"}", line("one"));
          if (exchange.getRequestURI().getQuery().contains("follow=true")) {
            FakeServer.cut(exchange);
          }
          exchange.close();
        });
    assertThat(services.logs("hello", 5)).extracting(ServiceLogLine::text).containsExactly("one");
    assertThat(server.targets()).containsExactly("GET /v1/services/hello/logs?tail=5");
    try (ServiceLogFeed feed = services.follow("hello", 5)) {
      Iterator<ServiceLogLine> lines = feed.iterator();
      assertThat(lines.next().text()).isEqualTo("one");
      // The second comes by another connection.
      assertThat(lines.next().text()).isEqualTo("one");
    }
  }

  @Test
  void sharesAreMadeListedAndRevoked() {
    answers("POST /v1/services/hello/shares", 201, SHARE);
    answers("GET /v1/services/hello/shares", 200, "{\"items\":[" + SHARE + "]}");
    answers("DELETE /v1/services/hello/shares/shr_1", 204, "");
    assertThat(services.share("hello").url()).isEqualTo("http://h/");
    services.share("hello", Duration.ofMinutes(1));
    assertThat(lastBody()).isEqualTo("{\"ttlSeconds\":60.0}");
    assertThat(services.shares("hello")).extracting(PortShare::id).containsExactly("shr_1");
    services.revoke("hello", "shr_1");
  }
}
