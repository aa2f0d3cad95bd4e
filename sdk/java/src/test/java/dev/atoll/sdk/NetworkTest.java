package dev.atoll.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.atoll.model.AtollException;
import dev.atoll.model.Connection;
import dev.atoll.model.ConnectionVerdict;
import dev.atoll.model.Json;
import dev.atoll.model.NetworkInfo;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkPolicy;
import java.time.Instant;
import java.util.Iterator;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NetworkTest {
  private static final String INFO =
      """
      {"policy":{"mode":"packages","allow":["a.test:443"],"deny":[]},"openConnections":2,
       "bytesToday":4096}
      """;

  private final FakeServer server = new FakeServer();
  private final Atoll atoll = Fixture.client(server);

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void optionsBecomeThePolicyOnTheWire() {
    answers("POST /v1/sandboxes", 201, Fixture.SANDBOX);
    answers("POST /v1/pools", 201, Fixture.POOL);
    answers("POST /v1/pools/p/claim", 201, Fixture.SANDBOX);
    atoll.sandboxes().create(s -> s.network(NetworkMode.NONE));
    atoll.sandboxes().create(s -> s.allow("a.test", "B.test:80").deny("*:25"));
    atoll.pools().create(p -> p.max(1).network(NetworkMode.ALLOWLIST).allow("a.test"));
    atoll.pools().claim("p", c -> c.network(NetworkMode.OPEN).deny("a.test"));
    assertBody(0, "{'network':{'mode':'none','allow':[],'deny':[]}}");
    assertBody(1, "{'network':{'mode':'packages','allow':['a.test','b.test:80'],'deny':['*:25']}}");
    assertBody(
        2,
        "{'warm':0,'max':1,'env':{},'network':{'mode':'allowlist','allow':['a.test'],'deny':[]}}");
    assertBody(3, "{'network':{'mode':'open','allow':[],'deny':['a.test']}}");
  }

  @Test
  void thePolicyIsReadReplacedAndChangedRuleByRule() {
    answers("GET /v1/sandboxes/x/network", 200, INFO);
    answers("PUT /v1/sandboxes/x/network", 200, INFO);
    answers("POST /v1/sandboxes/x/network/allow", 200, INFO);
    answers("POST /v1/sandboxes/x/network/deny", 200, INFO);
    answers("POST /v1/sandboxes/x/network/remove", 200, INFO);
    SandboxNetwork network = atoll.sandboxes().handle("x").network();
    NetworkInfo info = network.info();
    assertThat(info.policy()).isEqualTo(NetworkPolicy.of(NetworkMode.PACKAGES, "a.test:443"));
    assertThat(info.openConnections()).isEqualTo(2);
    assertThat(info.ceiling()).isNull();
    network.set(NetworkPolicy.of(NetworkMode.OPEN));
    network.allow("a.test");
    network.deny("b.test");
    network.remove("c.test");
    assertBody(1, "{'mode':'open','allow':[],'deny':[]}");
    assertBody(2, "{'rule':'a.test'}");
    assertBody(3, "{'rule':'b.test'}");
    assertBody(4, "{'rule':'c.test'}");
  }

  @Test
  void aProjectIsBoundAndLetGo() {
    String path = " /v1/projects/red/network";
    String info =
        "{'project':'red','ceiling':{'mode':'none'},'own':true,'openConnections':1,'bytesToday':2}"
            .replace('\'', '"');
    answers("GET" + path, 200, info);
    answers("PUT" + path, 200, info);
    answers("DELETE" + path, 200, info);
    assertThat(atoll.projects().network("red").own()).isTrue();
    NetworkPolicy none = NetworkPolicy.of(NetworkMode.NONE);
    assertThat(atoll.projects().setCeiling("red", none).ceiling()).isEqualTo(none);
    assertBody(1, "{'mode':'none','allow':[],'deny':[]}");
    atoll.projects().resetCeiling("red");
    assertThat(server.seen()).hasSize(3);
  }

  @Test
  void aRuleThatIsNoneIsNotSent() {
    assertThatExceptionOfType(AtollException.class)
        .isThrownBy(() -> atoll.sandboxes().handle("x").network().allow("10.0.0.0/33"));
    assertThatExceptionOfType(AtollException.class)
        .isThrownBy(() -> atoll.sandboxes().create(s -> s.deny("a b")));
    assertThat(server.seen()).isEmpty();
  }

  @Test
  void theRecordIsListedPageByPage() {
    server.on(
        "GET /v1/connections",
        exchange ->
            FakeServer.answer(
                exchange,
                200,
                exchange.getRequestURI().getQuery().contains("cursor")
                    ? page(connection("con_1", 1), null)
                    : page(connection("con_2", 2), "n")));
    Instant since = Instant.parse("2026-11-15T00:00:00Z");
    assertThat(
            atoll
                .connections()
                .list(
                    q ->
                        q.sandbox("lab")
                            .verdict(ConnectionVerdict.REFUSED)
                            .since(since)
                            .until(since.plusSeconds(60))
                            .pageSize(1)))
        .extracting(Connection::id)
        .containsExactly("con_2", "con_1");
    assertThat(server.targets())
        .first()
        .asString()
        .contains("sandbox=lab", "verdict=refused", "limit=1")
        .contains("since=2026-11-15T00%3A00%3A00Z", "until=2026-11-15T00%3A01%3A00Z");
    assertThat(atoll.connections().list().stream().limit(1)).hasSize(1);
  }

  @Test
  void aFeedGoesOnAfterABreakWithWhatCameInBetween() {
    AtomicInteger calls = new AtomicInteger();
    Semaphore read = new Semaphore(0);
    server.on(
        "GET /v1/connections",
        exchange -> {
          if (!exchange.getRequestURI().getQuery().contains("follow=true")) {
            FakeServer.answer(
                exchange, 200, page(connection("con_3", 3) + "," + connection("con_2", 2), null));
            return;
          }
          int call = calls.incrementAndGet();
          FakeServer.lines(
              exchange,
              "{\"type\":\"following\",\"time\":\"2026-11-15T00:00:00Z\"}",
              "{\"type\":\"ping\"}",
              "{\"type\":\"missed\",\"count\":4}",
              "{\"type\":\"connection\",\"connection\":" + connection("con_1" + call, 1) + "}");
          read.acquireUninterruptibly();
          FakeServer.cut(exchange);
        });
    try (ConnectionFeed feed = atoll.connections().follow(q -> q.sandbox("lab"))) {
      Iterator<Connection> connections = feed.iterator();
      assertThat(connections.next().id()).isEqualTo("con_11");
      assertThat(feed.missed()).isEqualTo(4);
      read.release();
      assertThat(connections.next().id()).isEqualTo("con_2");
      assertThat(connections.next().id()).isEqualTo("con_3");
      assertThat(connections.next().id()).isEqualTo("con_12");
    }
    assertThat(server.targets().get(0)).contains("sandbox=lab", "follow=true");
    assertThat(server.targets().get(2)).contains("since=2026-11-15T00%3A00%3A01Z");
    read.release();
  }

  private static String connection(String id, int second) {
    return """
        {"id":"%s","time":"2026-11-15T00:00:0%dZ","sandbox":"sbx_1","project":"p","name":"a.test",
         "port":443,"way":"http_connect","verdict":"refused","rule":"packages","bytesSent":0,
         "bytesReceived":0,"durationMillis":1}"""
        .formatted(id, second)
        .replace("\n", "");
  }

  private static String page(String items, @Nullable String next) {
    return "{\"items\":["
        + items
        + "]"
        + (next == null ? "" : ",\"nextCursor\":\"" + next + "\"")
        + "}";
  }

  private void answers(String methodAndPath, int status, String body) {
    server.on(methodAndPath, exchange -> FakeServer.answer(exchange, status, body));
  }

  private void assertBody(int index, String expected) {
    assertThat(Json.lenient().readTree(server.seen().get(index).body()))
        .isEqualTo(Json.lenient().readTree(expected.replace('\'', '"')));
  }
}
