package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.atoll.model.ConnectionWay;
import dev.atoll.model.FileEntry;
import dev.atoll.model.FileUrl;
import dev.atoll.model.SandboxState;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Signed URLs of files of real sandboxes, used without a key. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class FileUrlIT {
  private static final Duration HOUR = Duration.ofHours(1);

  private final HttpClient client = HttpClient.newHttpClient();
  private RealServer server;
  private Atoll atoll;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    server = new RealServer();
    atoll = server.atoll();
  }

  @AfterAll
  void stop() throws IOException {
    client.close();
    server.close();
  }

  /** What comes back, after the status; sent with nothing but the URL. */
  private String send(FileUrl url, String method, BodyPublisher body) throws Exception {
    return send(here(url), method, body);
  }

  private String send(String url, String method, BodyPublisher body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url))
            .version(HttpClient.Version.HTTP_1_1)
            .method(method, body)
            .build();
    HttpResponse<String> answer =
        client.send(request, BodyHandlers.ofString(StandardCharsets.ISO_8859_1));
    return answer.statusCode() + " " + answer.body();
  }

  private String get(FileUrl url) throws Exception {
    return send(url, "GET", BodyPublishers.noBody());
  }

  private String put(FileUrl url, String content) throws Exception {
    return send(url, "PUT", BodyPublishers.ofString(content));
  }

  /** A server that was started again may have another port, which is not signed. */
  private String here(FileUrl url) {
    URI made = URI.create(url.url());
    return atoll.endpoint().url() + made.getRawPath() + "?" + made.getRawQuery();
  }

  @Test
  void filesComeAndGoWithoutAKey() throws Exception {
    byte[] content = new byte[20 << 20];
    new Random(5).nextBytes(content);
    String name = "in/größe & more.bin";
    try (Sandbox sandbox = atoll.sandboxes().create()) {
      FileUrl up = sandbox.files().uploadUrl(name, HOUR);
      assertThat(send(up, "PUT", BodyPublishers.ofByteArray(content))).startsWith("200 ");
      assertThat(sandbox.files().readBytes(name)).isEqualTo(content);
      FileUrl down = sandbox.files().downloadUrl(name, HOUR);
      assertThat(get(down).substring(4).getBytes(StandardCharsets.ISO_8859_1)).isEqualTo(content);
      FileUrl bounded = sandbox.files().uploadUrl("small", HOUR, 10);
      assertThat(send(bounded, "POST", BodyPublishers.ofString("0123456789"))).startsWith("200 ");
      assertThat(put(bounded, "much more than ten")).startsWith("413 ");
      byte[] more = new byte[1000];
      BodyPublisher endless = BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(more));
      assertThat(send(bounded, "PUT", endless)).startsWith("413 ");
      assertThat(sandbox.files().readText("small")).isEqualTo("0123456789");
      assertThat(sandbox.files().list(".", 2, 1000).entries())
          .extracting(FileEntry::name)
          .as("nothing half of it")
          .noneMatch(entry -> entry.startsWith("small") && !entry.equals("small"));
      String raised = here(bounded).replace("maxBytes=10", "maxBytes=99");
      assertThat(send(raised, "PUT", BodyPublishers.ofString("x"))).startsWith("401 ");
      String other = here(down).replace("in%2F", "%2Fetc%2F");
      assertThat(send(other, "GET", BodyPublishers.noBody())).startsWith("401 ");
      assertThat(send(down, "DELETE", BodyPublishers.noBody())).startsWith("401 ");
      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(
              () ->
                  assertThat(atoll.connections().list(q -> q.sandbox(sandbox.id())).stream())
                      .filteredOn(line -> line.way() == ConnectionWay.FILE_URL)
                      .anyMatch(l -> l.name().equals(name) && l.bytesReceived() == content.length)
                      .anyMatch(l -> l.name().equals(name) && l.bytesSent() == content.length)
                      .anyMatch(l -> l.name().equals("small") && "too_large".equals(l.reason())));
    }
  }

  @Test
  void urlsWakeASandboxAndEndWithIt() throws Exception {
    FileUrl down;
    FileUrl up;
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.name("lab"))) {
      sandbox.files().write("note", "of the first");
      down = sandbox.files().downloadUrl("note", HOUR);
      up = sandbox.files().uploadUrl("note", HOUR);
      sandbox.hibernate();
      server.stop();
      server.start();
      atoll = server.atoll();
      assertThat(atoll.sandboxes().get("lab").state()).isEqualTo(SandboxState.HIBERNATED);
      assertThat(get(down)).isEqualTo("200 of the first");
      assertThat(atoll.sandboxes().get("lab").state()).isEqualTo(SandboxState.RUNNING);
      server.kill();
      server.start();
      atoll = server.atoll();
      assertThat(get(down)).isEqualTo("200 of the first");
      atoll.sandboxes().handle("lab").terminate();
    }
    assertThat(get(down)).startsWith("401 ");
    try (Sandbox other = atoll.sandboxes().create(s -> s.name("lab"))) {
      other.files().write("note", "of another");
      assertThat(get(down)).startsWith("401 ").doesNotContain("of another");
      assertThat(put(up, "mine")).startsWith("401 ");
      assertThat(other.files().readText("note")).isEqualTo("of another");
    }
  }

  @Test
  void aRewindTakesUrlsBack() throws Exception {
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.checkpointEveryRun())) {
      sandbox.files().write("note", "before");
      sandbox.runCode("x = 1");
      FileUrl up = sandbox.files().uploadUrl("note", HOUR);
      FileUrl down = sandbox.files().downloadUrl("note", HOUR);
      assertThat(put(up, "after")).startsWith("200 ");
      sandbox.rewind(1);
      assertThat(put(up, "again")).startsWith("401 ");
      assertThat(get(down)).startsWith("401 ");
      assertThat(sandbox.files().readText("note")).isEqualTo("before");
      assertThat(get(sandbox.files().downloadUrl("note", HOUR))).isEqualTo("200 before");
    }
  }

  /**
   * A link in the sandbox leads to where it leads in the sandbox, and to what its user may read.
   */
  @Test
  void linksInTheSandboxStayInIt() throws Exception {
    try (Sandbox sandbox = atoll.sandboxes().create()) {
      sandbox.shell("ln -s /etc/shadow secret; ln -s /etc/debian_version name; mkdir folder");
      assertThat(get(sandbox.files().downloadUrl("secret", HOUR))).startsWith("403 ");
      String name = sandbox.shell("cat /etc/debian_version").stdout();
      assertThat(get(sandbox.files().downloadUrl("name", HOUR))).isEqualTo("200 " + name);
      assertThat(get(sandbox.files().downloadUrl("folder", HOUR))).startsWith("409 ");
      assertThat(put(sandbox.files().uploadUrl("/etc/passwd", HOUR), "x")).startsWith("403 ");
    }
  }
}
