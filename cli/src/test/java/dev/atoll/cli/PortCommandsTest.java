package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class PortCommandsTest {
  private static final String PORT =
      """
      {"port":8000,"listening":true,"loopback":false,"pid":41,"program":"python3","access":"private",
       "url":"http://8000-sbx-1.localhost:7070/"}
      """;
  private static final String PUBLIC =
      """
      {"port":9000,"listening":false,"loopback":false,"access":"public",
       "url":"http://9000-sbx-1.localhost:7070/"}
      """;
  private static final String SHARE =
      """
      {"id":"shr_1","port":8000,"createdAt":"2026-11-15T00:00:00Z","expiresAt":"2026-11-16T00:00:00Z",
       "token":"apt_1","url":"http://8000-sbx-1.localhost:7070/?atoll_token=apt_1"}
      """;

  private final CliHarness cli = new CliHarness();

  @AfterEach
  void stop() {
    cli.close();
  }

  @Test
  void portsAreListed() {
    cli.answers("GET /v1/sandboxes/box/ports", 200, page(PORT, PUBLIC));
    assertThat(run("ports box")).isZero();
    assertThat(cli.out())
        .isEqualTo(
            """
            PORT  ACCESS   PID  PROGRAM            URL
            8000  private  41   python3            http://8000-sbx-1.localhost:7070/
            9000  public   -    (nothing listens)  http://9000-sbx-1.localhost:7070/
            """);
  }

  @Test
  void portsAreListedAsJson() {
    cli.answers("GET /v1/sandboxes/box/ports", 200, page(PORT));
    assertThat(run("ports box -o json")).isZero();
    assertThat(CliHarness.json(cli.out()).get(0)).isEqualTo(CliHarness.json(PORT));
  }

  @Test
  void aPrivatePortIsOpenedWithAToken() {
    cli.answers("GET /v1/sandboxes/box/ports/8000", 200, PORT);
    cli.answers("POST /v1/sandboxes/box/shares", 201, SHARE);
    assertThat(run("open box 8000 --print --ttl 2h")).isZero();
    assertThat(cli.out()).isEqualTo("http://8000-sbx-1.localhost:7070/?atoll_token=apt_1\n");
    assertThat(cli.lastBody()).isEqualTo(CliHarness.json("{\"port\":8000,\"ttlSeconds\":7200.0}"));
  }

  @Test
  void aPublicPortIsOpenedWithoutOneAndItIsSaidThatNothingListens() {
    cli.answers("GET /v1/sandboxes/box/ports/9000", 200, PUBLIC);
    assertThat(run("open box 9000")).isZero();
    assertThat(cli.out()).isEqualTo("http://9000-sbx-1.localhost:7070/\n");
    assertThat(cli.err()).contains("nothing listens on port 9000 yet");
  }

  @Test
  void portsAreSharedAndSharesAreListedAndTakenBack() {
    cli.answers("POST /v1/sandboxes/box/shares", 201, SHARE);
    cli.answers("GET /v1/sandboxes/box/shares", 200, page(SHARE));
    cli.answers("DELETE /v1/sandboxes/box/shares/shr_1", 204, "");
    cli.answers("PUT /v1/sandboxes/box/ports/9000", 200, PUBLIC);
    assertThat(run("share box 8000")).isZero();
    assertThat(cli.lastBody()).isEqualTo(CliHarness.json("{\"port\":8000}"));
    assertThat(run("share box")).isZero();
    assertThat(cli.out()).contains("apt_1\n").contains("shr_1").contains("2026-11-16T00:00:00Z");
    assertThat(run("share box --revoke shr_1")).isZero();
    assertThat(cli.server.targets()).last().isEqualTo("DELETE /v1/sandboxes/box/shares/shr_1");
    assertThat(run("share box 9000 --public")).isZero();
    assertThat(cli.lastBody()).isEqualTo(CliHarness.json("{\"access\":\"public\"}"));
    assertThat(run("share box 9000 --private")).isZero();
    assertThat(cli.lastBody()).isEqualTo(CliHarness.json("{\"access\":\"private\"}"));
  }

  @Test
  void portsAreForwardedUntilCtrlC() throws Exception {
    cli.answers("GET /v1/sandboxes/box/ports", 200, page(PORT));
    CompletableFuture<Integer> status =
        CompletableFuture.supplyAsync(() -> run("forward box 0:8000 0:9000"));
    while (cli.out().lines().count() < 2) {
      assertThat(status).isNotDone();
      Thread.sleep(10);
    }
    assertThat(cli.out()).matches("127.0.0.1:\\d+ -> box:8000\n127.0.0.1:\\d+ -> box:9000\n");
    int local = Integer.parseInt(cli.out().substring(10, cli.out().indexOf(' ')));
    cli.interrupts.interrupt();
    assertThat(status.get(10, TimeUnit.SECONDS)).isZero();
    awaitFree(local);
  }

  /** The thread that waits for callers may be the one that closes the socket, a moment later. */
  private static void awaitFree(int port) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (true) {
      try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        assertThat(free.isBound()).isTrue();
        return;
      } catch (BindException e) {
        assertThat(System.nanoTime()).as("port %d is still taken", port).isLessThan(deadline);
        Thread.sleep(10);
      }
    }
  }

  @Test
  void whatMakesNoSenseIsNotSent() throws IOException {
    assertThat(run("forward box")).isEqualTo(2);
    assertThat(run("forward box 80:x")).isEqualTo(2);
    assertThat(cli.err()).contains("'80:x' is no pair of ports such as 8080:3000");
    assertThat(run("forward box 8080:0")).isEqualTo(2);
    assertThat(run("forward box 70000")).isEqualTo(2);
    assertThat(run("share box --public")).isEqualTo(2);
    assertThat(run("share box 1 --public --private")).isEqualTo(2);
    assertThat(cli.server.seen()).isEmpty();
    cli.answers("GET /v1/sandboxes/box/ports", 200, page());
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(run("forward box " + taken.getLocalPort() + ":80")).isEqualTo(2);
      assertThat(cli.err()).contains("cannot listen on 127.0.0.1:" + taken.getLocalPort());
    }
  }

  private static String page(String... items) {
    return "{\"items\":[" + String.join(",", items) + "]}";
  }

  private int run(String line) {
    return cli.run(line.split(" ", -1));
  }
}
