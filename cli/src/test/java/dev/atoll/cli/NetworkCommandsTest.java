package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NetworkCommandsTest {
  private static final String INFO =
      """
      {"policy":{"mode":"packages","allow":["a.test:443"],"deny":["*:25"]},
       "ceiling":{"mode":"open","allow":[],"deny":["bad.test"]},
       "openConnections":2,"bytesToday":1536}
      """;
  private static final String NONE =
      "{\"policy\":{\"mode\":\"none\",\"allow\":[],\"deny\":[]},\"openConnections\":0,\"bytesToday\":0}";

  private static final String ALLOWED =
      """
      {"id":"con_1","time":"2026-11-15T00:00:01.5Z","sandbox":"sbx_1","project":"p",\
      "name":"a.test","address":"192.0.2.1","port":443,"way":"http_connect","verdict":"allowed",\
      "rule":"allow a.test","bytesSent":1536,"bytesReceived":5,"durationMillis":7}\
      """;
  private static final String REFUSED =
      """
      {"id":"con_2","time":"2026-11-15T00:00:02Z","sandbox":"sbx_1","project":"p",\
      "name":"2001:db8::1","port":1,"way":"direct","verdict":"refused","rule":"packages",\
      "reason":"policy: no\\u001b[1m","bytesSent":0,"bytesReceived":0,"durationMillis":0}\
      """;

  private final CliHarness cli = new CliHarness();

  @AfterEach
  void stop() {
    cli.close();
  }

  @Test
  void thePolicyIsShown() {
    cli.answers("GET /v1/sandboxes/box/network", 200, INFO);
    assertThat(run("network show box")).isZero();
    assertThat(cli.out())
        .isEqualTo(
            """
            NETWORK           packages
            allow             a.test:443
            deny              *:25
            ceiling           open
            ceiling deny      bad.test
            open connections  2
            today             1.5 KiB
            """);
  }

  @Test
  void thePolicyIsShownAsJson() {
    cli.answers("GET /v1/sandboxes/box/network", 200, INFO);
    assertThat(run("network show box -o json")).isZero();
    assertThat(CliHarness.json(cli.out())).isEqualTo(CliHarness.json(INFO));
  }

  @Test
  void theCeilingOfAProjectIsShownReplacedAndReset() {
    String path = " /v1/projects/red/network";
    String info =
        """
        {"project":"red","ceiling":{"mode":"open","allow":[],"deny":["*:25"]},"own":true,
         "openConnections":2,"bytesToday":1536}
        """;
    cli.answers("GET" + path, 200, info);
    cli.answers("PUT" + path, 200, info);
    cli.answers("DELETE" + path, 200, info.replace("true", "false"));
    assertThat(run("network ceiling red")).isZero();
    assertThat(cli.out())
        .isEqualTo(
            """
            PROJECT           red
            ceiling           open
            ceiling deny      *:25
            open connections  2
            today             1.5 KiB
            """);
    assertThat(run("network ceiling red --network open --deny *:25 -o json")).isZero();
    assertThat(cli.lastBody())
        .isEqualTo(CliHarness.json("{\"mode\":\"open\",\"allow\":[],\"deny\":[\"*:25\"]}"));
    assertThat(run("network ceiling red --reset")).isZero();
    assertThat(cli.out()).contains("open, the server's");
    assertThat(run("network ceiling red --deny *:25")).isEqualTo(2);
    assertThat(run("network ceiling red --reset --network none")).isEqualTo(2);
    assertThat(cli.server.targets()).hasSize(3);
  }

  @Test
  void rulesAreChangedOneByOne() {
    cli.answers("POST /v1/sandboxes/box/network/allow", 200, INFO);
    cli.answers("POST /v1/sandboxes/box/network/deny", 200, INFO);
    cli.answers("POST /v1/sandboxes/box/network/remove", 200, INFO);
    assertThat(run("network allow box a.test 10.0.0.0/8:1,2")).isZero();
    assertThat(cli.server.seen().get(0).body()).isEqualTo("{\"rule\":\"a.test\"}");
    assertThat(cli.server.seen().get(1).body()).isEqualTo("{\"rule\":\"10.0.0.0/8:1,2\"}");
    assertThat(run("network deny box *:25")).isZero();
    assertThat(cli.lastBody()).isEqualTo(CliHarness.json("{\"rule\":\"*:25\"}"));
    assertThat(run("network remove box a.test")).isZero();
    assertThat(cli.out() + cli.err()).isEmpty();
    assertThat(cli.server.targets()).last().isEqualTo("POST /v1/sandboxes/box/network/remove");
  }

  @Test
  void allowingInAModeThatReachesNothingIsSaid() {
    cli.answers("POST /v1/sandboxes/box/network/allow", 200, NONE);
    assertThat(run("network allow box a.test")).isZero();
    assertThat(cli.err()).contains("the mode is none").contains("atoll network mode box allowlist");
  }

  @Test
  void theModeChangesAndTheRulesStay() {
    cli.answers("GET /v1/sandboxes/box/network", 200, INFO);
    cli.answers("PUT /v1/sandboxes/box/network", 200, INFO);
    assertThat(run("network mode box open")).isZero();
    assertThat(cli.lastBody())
        .isEqualTo(
            CliHarness.json("{\"mode\":\"open\",\"allow\":[\"a.test:443\"],\"deny\":[\"*:25\"]}"));
  }

  @Test
  void whatMakesNoSenseIsNotSent() {
    assertThat(run("network mode box all")).isEqualTo(2);
    assertThat(cli.err()).contains("'all' is not none, packages, allowlist or open");
    assertThat(run("network allow box 10.0.0.0/33")).isEqualTo(2);
    assertThat(run("network allow box")).isEqualTo(2);
    assertThat(run("network")).isEqualTo(2);
    assertThat(run("create --network loud")).isEqualTo(2);
    assertThat(run("audit --since yesterday")).isEqualTo(2);
    assertThat(run("audit -n 0")).isEqualTo(2);
    assertThat(cli.server.seen()).isEmpty();
  }

  @Test
  void newSandboxesAndPoolsTakeAPolicy() {
    cli.answers("PATCH /v1/sandboxes/box", 200, CliHarness.SANDBOX);
    String options = " --network allowlist --allow a.test --allow b.test:1,2 --deny *:25";
    String policy =
        "{\"mode\":\"allowlist\",\"allow\":[\"a.test\",\"b.test:1,2\"],\"deny\":[\"*:25\"]}";
    assertThat(run("create" + options)).isZero();
    assertThat(cli.lastBody()).isEqualTo(CliHarness.json("{\"network\":" + policy + "}"));
    assertThat(run("update box" + options)).isZero();
    assertThat(cli.lastBody()).isEqualTo(CliHarness.json("{\"network\":" + policy + "}"));
    run("pool create --warm 0 --max 1 --allow a.test");
    assertThat(cli.lastBody().get("network"))
        .isEqualTo(CliHarness.json("{\"mode\":\"packages\",\"allow\":[\"a.test\"],\"deny\":[]}"));
    run("pool claim p --network none");
    assertThat(cli.lastBody().at("/network/mode").asString()).isEqualTo("none");
    cli.server.on(
        "GET /v1/sandboxes/s", exchange -> FakeServer.error(exchange, 404, "sandbox_not_found"));
    run("space s --create --network open");
    assertThat(cli.lastBody().at("/create/network/mode").asString()).isEqualTo("open");
    run("run --network none -c 1");
    assertThat(cli.server.seen())
        .anyMatch(
            seen ->
                seen.target().equals("POST /v1/sandboxes")
                    && seen.body().contains("\"mode\":\"none\""));
  }

  @Test
  void theRecordIsShownWithTheNewestLast() {
    cli.answers("GET /v1/connections", 200, page(REFUSED, ALLOWED));
    assertThat(run("audit box --refused --since 2026-11-15T00:00:00Z -n 5")).isZero();
    assertThat(cli.out())
        .isEqualTo(
            """
            TIME                  SANDBOX  VERDICT  HOST             WAY           SENT     RECEIVED  RULE
            2026-11-15T00:00:01Z  sbx_1    allowed  a.test:443       http_connect  1.5 KiB  5 B       allow a.test
            2026-11-15T00:00:02Z  sbx_1    refused  [2001:db8::1]:1  direct        0 B      0 B       packages (policy: no^[[1m)
            """);
    assertThat(cli.server.targets())
        .last()
        .asString()
        .contains("sandbox=box", "verdict=refused", "since=2026-11-15T00%3A00%3A00Z", "limit=5");
    assertThat(run("audit -o json")).isZero();
    assertThat(cli.out()).contains("\"name\" : \"a.test\"");
  }

  @Test
  void theRecordIsFollowedUntilTheServerRefuses() {
    follow(ALLOWED.replace(",\"durationMillis\":7", ""), REFUSED);
    assertThat(run("audit --follow")).isEqualTo(125);
    assertThat(cli.out()).startsWith("TIME ").containsPattern("(?m)open +a.test:443");
    assertThat(cli.out().lines()).hasSize(3);
  }

  @Test
  void followedJsonIsOneDocumentALine() {
    follow(ALLOWED, REFUSED);
    run("audit -f -o json");
    assertThat(cli.out().lines().map(CliHarness::json).map(node -> node.get("id").asString()))
        .containsExactly("con_1", "con_2");
  }

  @Test
  void completionKnowsThem() {
    assertThat(run("completion fish")).isZero();
    assertThat(cli.out()).contains("-a network ").contains("'__atoll_ends network' -a ceiling ");
  }

  private static String page(String... items) {
    return "{\"items\":[" + String.join(",", items) + "]}";
  }

  /** Two lines, then the server says that the caller may not go on. */
  private void follow(String... connections) {
    cli.server.on(
        "GET /v1/connections",
        exchange -> {
          if (cli.server.seen().size() > 1) {
            FakeServer.error(exchange, 401, "unauthenticated");
            return;
          }
          FakeServer.lines(exchange, "{\"type\":\"following\",\"time\":\"2026-11-15T00:00:00Z\"}");
          for (String connection : connections) {
            FakeServer.lines(
                exchange, "{\"type\":\"connection\",\"connection\":" + connection + "}");
          }
          exchange.close();
        });
  }

  private int run(String line) {
    return cli.run(line.split(" ", -1));
  }
}
