package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.atoll.server.EngineFixture.Answer;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Signed URLs of files: what they are good for, and that they are good for nothing else. */
@Timeout(120)
final class FileUrlApiTest {
  private static final String FILE = "/tmp/report.txt";

  @TempDir Path folder;
  private EngineFixture server = unset();
  private String sandbox = "";

  @SuppressWarnings("NullAway")
  private static EngineFixture unset() {
    return null;
  }

  @BeforeEach
  void start() throws Exception {
    server = new EngineFixture(folder);
    sandbox = server.sandbox();
    write("first");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void write(String content) throws Exception {
    Answer written =
        server.put(sandbox + "/files?path=" + FILE, content.getBytes(StandardCharsets.UTF_8));
    assertThat(written.status()).isEqualTo(200);
  }

  private String content() throws Exception {
    return server.get(sandbox + "/files?path=" + FILE).body();
  }

  private Answer asked(String body) throws Exception {
    return server.post(sandbox + "/files/urls", body);
  }

  private String url(String method, String more) throws Exception {
    Answer made = asked("{\"method\":\"%s\",\"path\":\"%s\"%s}".formatted(method, FILE, more));
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    return made.json().get("url").asString();
  }

  /** Without a key, as curl would. */
  private Answer send(String method, String url, String body) throws Exception {
    return server.send(
        HttpRequest.newBuilder(URI.create(url))
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body)));
  }

  private Answer read(String url) throws Exception {
    return send("GET", url, "");
  }

  private void assertRefused(Answer answer) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(401);
    assertThat(answer.code()).isEqualTo("unauthenticated");
    assertThat(answer.body()).doesNotContain("first").doesNotContain(FILE);
  }

  @Test
  void aFileIsReadWithoutAKey() throws Exception {
    JsonNode made = asked("{\"method\":\"GET\",\"path\":\"" + FILE + "\"}").json();
    String url = made.get("url").asString();
    assertThat(made.get("method").asString()).isEqualTo("GET");
    assertThat(made.get("path").asString()).isEqualTo(FILE);
    assertThat(made.get("expiresAt").asString()).isNotEmpty();
    assertThat(url).startsWith(server.url(sandbox + "/files/signed?").toString());
    assertThat(read(url).body()).isEqualTo("first");
    assertThat(read(url).header("Content-Disposition")).startsWith("attachment");
    Answer head = send("HEAD", url, "");
    assertThat(head.status()).isEqualTo(200);
    assertThat(head.header("Content-Length")).isEqualTo("5");
    Answer part = server.send(HttpRequest.newBuilder(URI.create(url)).header("Range", "bytes=1-2"));
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.body()).isEqualTo("ir");
  }

  @Test
  void aFileIsWrittenWithoutAKey() throws Exception {
    String url = url("PUT", "");
    assertThat(send("PUT", url, "second").status()).isEqualTo(200);
    assertThat(content()).isEqualTo("second");
    assertThat(send("POST", url, "third").status()).isEqualTo(200);
    assertThat(content()).isEqualTo("third");
  }

  @Test
  void aMissingFileIsSaidToBeMissing() throws Exception {
    String url = url("GET", "");
    server.delete(sandbox + "/files?path=" + FILE);
    assertThat(read(url).code()).isEqualTo("file_not_found");
  }

  @Test
  void aUrlIsGoodForOneMethod() throws Exception {
    String reading = url("GET", "");
    String writing = url("PUT", "");
    assertRefused(send("PUT", reading, "changed"));
    assertRefused(send("POST", reading, "changed"));
    assertRefused(read(writing));
    assertThat(send("HEAD", writing, "").status()).isEqualTo(401);
    assertThat(send("DELETE", writing, "").status()).isEqualTo(401);
    assertThat(content()).isEqualTo("first");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "report.txt->report2.txt",
        "report.txt->report.txt%2F..%2Fother",
        "%2Ftmp->%2Ftmp%2F.",
        "%2Ftmp->%2F%2Ftmp",
        "%2Ftmp%2Freport.txt->..%2F..%2Fetc%2Fpasswd",
        "%2Ftmp%2Freport.txt->%2Fetc%2Fpasswd",
        "report.txt->report.txt%00",
        "&expires=->&expires=1",
        "&signature=->&signature=A",
        "&signature=->&maxBytes=5&signature=",
      })
  void aUrlThatWasChangedIsGoodForNothing(String change) throws Exception {
    String[] parts = change.split("->", -1);
    for (String method : List.of("GET", "PUT")) {
      String url = url(method, "");
      assertThat(url).contains(parts[0]);
      Answer answer =
          send(method, url.replace(parts[0], parts[1]), method.equals("PUT") ? "changed" : "");
      assertThat(answer.status()).as("%s %s", method, answer.body()).isIn(400, 401);
    }
    assertThat(content()).isEqualTo("first");
  }

  @Test
  void allOfTheSignatureCounts() throws Exception {
    String url = url("GET", "");
    int at = url.indexOf("signature=") + "signature=".length();
    String signature = url.substring(at);
    assertThat(signature).matches("[A-Za-z0-9_-]{43}");
    String base = url.substring(0, at);
    for (int i = 0; i < signature.length(); i++) {
      String other = signature.charAt(i) == 'A' ? "B" : "A";
      assertRefused(read(base + signature.substring(0, i) + other + signature.substring(i + 1)));
    }
    assertRefused(read(base));
    assertRefused(read(base + signature.substring(1)));
    assertRefused(read(base + signature + "A"));
    assertRefused(read(base + signature + "%3D"));
    assertRefused(read(url.replaceAll("&signature=.*", "")));
    assertThat(read(url + "&signature=" + signature).status()).isEqualTo(400);
    assertThat(read(url + "&path=%2Fetc%2Fpasswd").status()).isEqualTo(400);
    assertThat(read(url).status()).isEqualTo(200);
  }

  @Test
  void aLimitCannotBeRaisedOrLeftOut() throws Exception {
    String url = url("PUT", ",\"maxBytes\":6");
    assertThat(url).contains("&maxBytes=6&");
    assertRefused(send("PUT", url.replace("maxBytes=6", "maxBytes=60"), "much more"));
    assertRefused(send("PUT", url.replace("&maxBytes=6", ""), "much more"));
    assertThat(send("PUT", url, "second").status()).isEqualTo(200);
    Answer announced = send("PUT", url, "longer!");
    assertThat(announced.status()).isEqualTo(413);
    assertThat(announced.code()).isEqualTo("too_large");
    byte[] large = new byte[1000];
    Answer streamed =
        server.send(
            HttpRequest.newBuilder(URI.create(url))
                .PUT(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(large))));
    assertThat(streamed.status()).isEqualTo(413);
    assertThat(content()).as("nothing of it was written").isEqualTo("second");
  }

  @Test
  void aUrlExpires() throws Exception {
    String url = url("GET", ",\"ttlSeconds\":1");
    await().atMost(Duration.ofSeconds(60)).until(() -> read(url).status() == 401);
    assertThat(read(url).body()).contains("has expired");
    assertThat(read(url.replaceAll("expires=[0-9]+", "expires=99999999999")).body())
        .contains("not good");
  }

  @Test
  void aRestartAndASleepDoNoHarm() throws Exception {
    String url = url("GET", "");
    server.restart();
    String path = URI.create(url).getRawPath() + "?" + URI.create(url).getRawQuery();
    assertThat(read(server.url(path).toString()).body()).isEqualTo("first");
    server.post(sandbox + "/hibernate", "");
    assertThat(server.get(sandbox).json().get("state").asString()).isEqualTo("hibernated");
    assertThat(read(server.url(path).toString()).body()).isEqualTo("first");
    assertThat(server.get(sandbox).json().get("state").asString()).isEqualTo("running");
  }

  @Test
  void theEndOfASandboxIsTheEndOfItsUrls() throws Exception {
    String named = server.post("/v1/sandboxes", "{\"name\":\"lab\"}").json().get("id").asString();
    sandbox = "/v1/sandboxes/lab";
    write("first");
    String url = url("GET", "");
    assertThat(url).contains(named).doesNotContain("lab");
    assertRefused(read(url.replace(named, "lab")));
    assertThat(read(url).status()).isEqualTo(200);
    server.delete("/v1/sandboxes/" + named);
    assertRefused(read(url));
    String second = server.post("/v1/sandboxes", "{\"name\":\"lab\"}").json().get("id").asString();
    write("first");
    assertRefused(read(url));
    assertRefused(read(url.replace(named, second)));
    assertRefused(read(url.replace(named, "lab")));
    String fresh = url("GET", "");
    assertRefused(read(url.replace(named, second)));
    assertThat(read(fresh).status()).isEqualTo(200);
  }

  @Test
  void aForkHasUrlsOfItsOwn() throws Exception {
    String url = url("GET", "");
    String child = server.post(sandbox + "/fork", "{}").json().at("/children/0/id").asString();
    String own = sandbox.substring(sandbox.lastIndexOf('/') + 1);
    assertRefused(read(url.replace(own, child)));
    assertThat(
            server
                .post(
                    "/v1/sandboxes/" + child + "/files/urls",
                    "{\"method\":\"GET\",\"path\":\"/tmp/x\"}")
                .status())
        .isEqualTo(201);
    assertRefused(read(url.replace(own, child)));
    assertThat(read(url).status()).isEqualTo(200);
  }

  @Test
  void anUploadIsNotReplayedIntoTheStateThatARewindBringsBack() throws Exception {
    String snapshot = server.post(sandbox + "/snapshots", "{}").json().get("id").asString();
    String url = url("PUT", "");
    assertThat(send("PUT", url, "second").status()).isEqualTo(200);
    assertThat(server.post(sandbox + "/rewind", "{\"to\":\"none\"}").status()).isEqualTo(404);
    assertThat(send("PUT", url, "third").status()).as("nothing was rewound").isEqualTo(200);
    assertThat(server.post(sandbox + "/rewind", "{\"to\":\"" + snapshot + "\"}").status())
        .isEqualTo(200);
    assertRefused(send("PUT", url, "fourth"));
    assertThat(content()).isEqualTo("first");
    assertThat(send("PUT", url("PUT", ""), "fifth").status()).isEqualTo(200);
    assertRefused(send("PUT", url, "sixth"));
  }

  @Test
  void urlsAreTakenBack() throws Exception {
    String url = url("GET", "");
    assertThat(server.delete(sandbox + "/files/urls").status()).isEqualTo(204);
    assertRefused(read(url));
    String fresh = url("GET", "");
    assertThat(fresh).isNotEqualTo(url);
    assertRefused(read(url));
    assertThat(read(fresh).status()).isEqualTo(200);
  }

  @Test
  void theRecordShowsWhoUsedWhichUrl() throws Exception {
    String url = url("GET", "");
    read(url);
    String bounded = url("PUT", ",\"maxBytes\":5");
    send("PUT", bounded, "four");
    send("PUT", bounded, "more than five");
    assertRefused(read(url + "A"));
    // What came of a download is written when its last byte has left.
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThat(server.get("/v1/connections").json().get("items"))
                    .allMatch(line -> line.has("durationMillis")));
    JsonNode lines = server.get("/v1/connections").json().get("items");
    assertThat(lines).allMatch(line -> line.get("way").asString().equals("file_url"));
    assertThat(lines).allMatch(line -> line.get("name").asString().equals(FILE));
    assertThat(lines).allMatch(line -> line.get("address").asString().equals("127.0.0.1"));
    assertThat(lines)
        .extracting(FileUrlApiTest::brief)
        .containsExactlyInAnyOrder(
            "signed get allowed 5 0", "signed put allowed 0 4", "signed put refused 0 0");
    assertThat(server.get(sandbox + "/network").json().get("bytesToday").asLong()).isZero();
    server.restart();
    assertThat(server.get(sandbox + "/network").json().get("bytesToday").asLong()).isZero();
  }

  private static String brief(JsonNode line) {
    return line.get("rule").asString()
        + " "
        + line.get("verdict").asString()
        + " "
        + line.get("bytesSent").asLong()
        + " "
        + line.get("bytesReceived").asLong();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"method\":\"GET\"}",
        "{\"path\":\"a\"}",
        "{\"method\":\"DELETE\",\"path\":\"a\"}",
        "{\"method\":\"get\",\"path\":\"a\"}",
        "{\"method\":\"GET\",\"path\":\"\"}",
        "{\"method\":\"GET\",\"path\":\"a\\u0000\"}",
        "{\"method\":\"GET\",\"path\":\"../etc/passwd\"}",
        "{\"method\":\"PUT\",\"path\":\"up/../../etc/passwd\"}",
        "{\"method\":\"PUT\",\"path\":\"up/..\"}",
        "{\"method\":\"GET\",\"path\":\"a\",\"maxBytes\":5}",
        "{\"method\":\"PUT\",\"path\":\"a\",\"maxBytes\":-1}",
        "{\"method\":\"GET\",\"path\":\"a\",\"ttlSeconds\":0}",
        "{\"method\":\"GET\",\"path\":\"a\",\"ttlSeconds\":604801}",
        "{\"method\":\"GET\",\"path\":\"a\",\"expires\":5}",
      })
  void whatCannotBeSignedIsRefused(String body) throws Exception {
    assertThat(asked(body).status()).as(body).isEqualTo(400);
  }

  @Test
  void theKeyIsKeptAsTheOthersAreAndWithoutItNoUrlIsGood() throws Exception {
    Path key = server.data().resolve("urls.key");
    assertThat(key).doesNotExist();
    String url = url("GET", "");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
        .isEqualTo("rw-------");
    Files.delete(key);
    server.restart();
    String target = URI.create(url).getRawPath() + "?" + URI.create(url).getRawQuery();
    assertRefused(read(server.url(target).toString()));
  }

  @Test
  void aUrlIsNoKey() throws Exception {
    String url = url("GET", "");
    String query = url.substring(url.indexOf('?') + 1);
    for (String path : List.of("/files", "/files/stat", "/files/tar", "", "/files/urls")) {
      assertThat(read(server.url(sandbox + path + "?" + query).toString()).status())
          .as(path)
          .isEqualTo(401);
    }
  }
}
