package dev.atoll.engine.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.ErrorCode;
import dev.atoll.model.Json;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@Timeout(120)
final class PackageCacheTest {
  private static final String SIMPLE = "application/vnd.pypi.simple.v1+json";
  private static final String WHEEL = "demo-1.0-py3-none-any.whl";
  private static final byte[] CONTENT = content(300_000);

  @TempDir Path folder;
  private final List<ErrorCode> troubles = new ArrayList<>();
  private FakeRegistry registry = unset();
  private PackageCache cache = unset();

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T unset() {
    return null;
  }

  @BeforeEach
  void start() throws IOException {
    registry = new FakeRegistry();
    cache = cache(PackageSettings.defaults());
    registry.page("/files/" + WHEEL, "application/octet-stream", CONTENT);
    registry.page("/files/" + WHEEL + ".metadata", "text/plain", "Name: demo\n");
    index(hex("SHA-256", CONTENT));
  }

  @AfterEach
  void stop() {
    registry.close();
  }

  private PackageCache cache(PackageSettings settings) {
    return new PackageCache(settings, folder, registry);
  }

  private void index(String sha256) {
    registry.page(
        "/simple/demo/",
        SIMPLE,
        """
        {"meta":{"api-version":"1.1"},"name":"demo","files":[{"filename":"%s","url":"%s",
         "hashes":{"sha256":"%s"},"requires-python":">=3.8","yanked":false,
         "core-metadata":{"sha256":"%s"}}]}
        """
            .formatted(
                WHEEL,
                registry.uri("/files/" + WHEEL),
                sha256,
                hex("SHA-256", "Name: demo\n".getBytes(StandardCharsets.UTF_8))));
  }

  /** What came for a request: the head's first line, and the body. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Came(String status, byte[] body, boolean whole) {
    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }

    JsonNode json() {
      return Json.lenient().readTree(body);
    }
  }

  private Came get(String path) {
    return get(cache, path, "*/*");
  }

  private CompletableFuture<Came> getMeanwhile(String path) {
    CompletableFuture<Came> came = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> came.complete(get(path)));
    return came;
  }

  private Came get(PackageCache from, String path, String accept) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    String request =
        "GET %s HTTP/1.1\r\nHost: x\r\nAccept: %s\r\nConnection: close\r\n\r\n"
            .formatted(path, accept);
    boolean whole = true;
    try {
      from.serve(
          new ByteArrayInputStream(request.getBytes(StandardCharsets.US_ASCII)),
          out,
          (code, message) -> troubles.add(code));
    } catch (IOException e) {
      whole = false;
    }
    String all = out.toString(StandardCharsets.ISO_8859_1);
    int end = all.indexOf("\r\n\r\n");
    return new Came(
        all.isEmpty() ? "" : all.substring(0, all.indexOf("\r\n")),
        end < 0 ? new byte[0] : all.substring(end + 4).getBytes(StandardCharsets.ISO_8859_1),
        whole);
  }

  @Test
  void wheelsForOtherSystemsAreLeftOutAndTheRestIsGivenHoweverLongThePageIs() {
    String fits = "manylinux_2_28_" + WheelName.processor(System.getProperty("os.arch"));
    StringBuilder files = new StringBuilder();
    for (int i = 0; i < 20_000; i++) {
      for (String platform : List.of(fits, "win_amd64", "macosx_11_0_arm64")) {
        files
            .append(files.isEmpty() ? "" : ",")
            .append(
                "{\"filename\":\"big-%d.0-cp313-cp313-%s.whl\",\"url\":\"x\",\"hashes\":{}}"
                    .formatted(i, platform));
      }
    }
    registry.page(
        "/simple/big/",
        SIMPLE,
        "{\"versions\":[\"1\"],\"files\":["
            + files
            + "],\"meta\":{\"api-version\":\"1.1\"},\"name\":\"big\"}");
    JsonNode page = get("/pip/simple/big/").json();
    assertThat(page.get("files")).hasSize(20_000);
    assertThat(page.get("files"))
        .allSatisfy(file -> assertThat(file.get("filename").asString()).endsWith(fits + ".whl"));
    assertThat(page.at("/meta/api-version").asString()).isEqualTo("1.0");
  }

  @Test
  void aPageThatBreaksOffIsNoPage() {
    registry.page("/simple/half/", SIMPLE, "{\"files\":[{\"filename\":\"half-1.tar.gz\",");
    assertThat(get("/pip/simple/half/").status()).contains("504");
    assertThat(troubles).containsExactly(ErrorCode.REGISTRY_UNREACHABLE);
  }

  @Test
  void aPageOfLinksMayNotBeLargerThanMemoryAllows() {
    registry.page("/simple/huge/", "text/html", new byte[33 << 20]);
    Came came = get("/pip/simple/huge/");
    assertThat(came.status()).contains("504");
    assertThat(came.text()).contains("larger than");
  }

  @ParameterizedTest
  @CsvSource({
    "pure-1.0-py3-none-any.whl, true",
    "source-1.0.tar.gz, true",
    "a-1.0-cp313-cp313-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl, true",
    "a-1.0-cp313-cp313-musllinux_1_2_x86_64.whl, true",
    "a-1.0-cp313-cp313-linux_x86_64.whl, true",
    "a-1.0-cp313-cp313-manylinux_2_28_aarch64.whl, false",
    "a-1.0-cp313-cp313-manylinux_2_17_i686.manylinux2014_i686.whl, false",
    "a-1.0-cp313-cp313-macosx_10_13_x86_64.whl, false",
    "a-1.0-cp313-cp313-win_amd64.whl, false",
    "A-1.0-CP313-cp313-WIN32.WHL, false",
  })
  void theNameOfAWheelSaysWhereItFits(String name, boolean fits) {
    assertThat(WheelName.mayFit(name, "x86_64")).isEqualTo(fits);
  }

  @Test
  void aFileIsFetchedOnceAndGivenToAllAlsoWhenTheRegistryIsGone() {
    JsonNode file = get("/pip/simple/Demo/").json().at("/files/0");
    assertThat(file.get("url").asString()).isEqualTo("../../files/demo/" + WHEEL);
    assertThat(file.get("requires-python").asString()).isEqualTo(">=3.8");
    assertThat(get("/pip/files/demo/" + WHEEL).body()).isEqualTo(CONTENT);
    assertThat(get("/pip/files/demo/" + WHEEL + ".metadata").text()).isEqualTo("Name: demo\n");
    registry.off = true;
    PackageCache restarted = cache(PackageSettings.of(1 << 30, Duration.ZERO));
    assertThat(get(restarted, "/pip/simple/demo/", "*/*").json().at("/files/0")).isEqualTo(file);
    assertThat(get(restarted, "/pip/files/demo/" + WHEEL, "*/*").body()).isEqualTo(CONTENT);
    assertThat(registry.times("/files/" + WHEEL)).isEqualTo(1);
    assertThat(restarted.counts().staleOnes()).isPositive();
    assertThat(restarted.counts().hits()).isPositive();
    assertThat(restarted.bytes()).isGreaterThan(CONTENT.length);
  }

  @Test
  void whatIsNotWhatTheIndexPromisesIsNeitherGivenWholeNorKept() throws Exception {
    index(hex("SHA-256", content(10)));
    get("/pip/simple/demo/");
    CountDownLatch gate = new CountDownLatch(1);
    registry.gate = gate;
    long before = cache.counts().servedBytes();
    CompletableFuture<Came> coming = getMeanwhile("/pip/files/demo/" + WHEEL);
    while (cache.counts().servedBytes() == before) {
      Thread.sleep(10);
    }
    gate.countDown();
    Came came = coming.get(60, TimeUnit.SECONDS);
    assertThat(came.whole()).isFalse();
    assertThat(came.body().length).isLessThan(CONTENT.length);
    assertThat(troubles).contains(ErrorCode.PACKAGE_CORRUPT);
    assertThat(kept("files")).isEmpty();
    assertThat(kept("aside")).isEmpty();
    index(hex("SHA-256", CONTENT));
    cache = cache(PackageSettings.of(1 << 30, Duration.ZERO));
    get("/pip/simple/demo/");
    assertThat(get("/pip/files/demo/" + WHEEL).body()).isEqualTo(CONTENT);
  }

  @Test
  void manyWhoWantOneFileHaveItFetchedOnceAndGetItWhileItComes() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    get("/pip/simple/demo/");
    registry.gate = gate;
    List<CompletableFuture<Came>> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      all.add(getMeanwhile("/pip/files/demo/" + WHEEL));
    }
    while (cache.counts().servedBytes() < CONTENT.length) {
      Thread.sleep(10);
    }
    assertThat(all).noneMatch(CompletableFuture::isDone);
    gate.countDown();
    for (CompletableFuture<Came> one : all) {
      assertThat(one.get(60, TimeUnit.SECONDS).body()).isEqualTo(CONTENT);
    }
    assertThat(registry.times("/files/" + WHEEL)).isEqualTo(1);
  }

  @Test
  void anOldPageIsAskedForAgainAndKeptWhenItIsStillValid() {
    PackageCache impatient = cache(PackageSettings.of(1 << 30, Duration.ZERO));
    get(impatient, "/pip/simple/demo/", "*/*");
    get(impatient, "/pip/simple/demo/", "*/*");
    assertThat(registry.asked).hasSize(2);
    assertThat(registry.asked.get(1)).contains("if not");
    get("/pip/simple/demo/");
    assertThat(registry.asked).as("a young one is not").hasSize(2);
  }

  @Test
  void thePagesOfOldIndexesAreReadToo() {
    registry.page(
        "/simple/old/",
        "text/html",
        "<a href=\"../../files/%s#sha256=%s\" data-requires-python=\"&gt;=3\">%s</a>"
            .formatted(WHEEL, hex("SHA-256", CONTENT), WHEEL));
    JsonNode file = get("/pip/simple/old/").json().at("/files/0");
    assertThat(file.get("requires-python").asString()).isEqualTo(">=3");
    assertThat(get("/pip/files/old/" + WHEEL).body()).isEqualTo(CONTENT);
  }

  @Test
  void theOldestMakeRoom() throws IOException {
    cache = cache(PackageSettings.of(400_000, Duration.ofHours(1)));
    get("/pip/files/demo/" + WHEEL);
    byte[] other = content(250_000);
    registry.page("/files/other-1.whl", "x", other);
    registry.page(
        "/simple/other/",
        "text/html",
        "<a href=\"/files/other-1.whl#sha256=" + hex("SHA-256", other) + "\">other-1.whl</a>");
    assertThat(get("/pip/files/other/other-1.whl").body()).isEqualTo(other);
    assertThat(kept("files")).containsExactly("sha256-" + hex("SHA-256", other));
    assertThat(cache.bytes()).isLessThanOrEqualTo(400_000);
  }

  @Test
  void withNoRoomAtAllEverythingIsPassedOn() throws IOException {
    cache = cache(PackageSettings.of(0, Duration.ofHours(1)));
    assertThat(get("/pip/simple/demo/").json().at("/files/0/filename").asString()).isEqualTo(WHEEL);
    assertThat(get("/pip/files/demo/" + WHEEL).body()).isEqualTo(CONTENT);
    get("/pip/simple/demo/");
    assertThat(kept("files")).isEmpty();
  }

  @Test
  void npmGetsArchivesThroughTheCache() {
    String integrity = "sha512-" + Base64.getEncoder().encodeToString(digest("SHA-512", CONTENT));
    registry.page(
        "/npm/@a%2fb",
        "application/vnd.npm.install-v1+json",
        """
        {"name":"@a/b","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"name":"@a/b","version":
         "1.0.0","dist":{"integrity":"%s","tarball":"%s","size":7}}}}
        """
            .formatted(integrity, registry.uri("/archives/b-1.0.0.tgz")));
    registry.page("/archives/b-1.0.0.tgz", "x", CONTENT);
    Came page =
        get(cache, "/npm/@a%2fb", "application/vnd.npm.install-v1+json; q=1.0, application/json");
    assertThat(page.json().at("/versions/1.0.0/dist/tarball").asString())
        .isEqualTo("http://packages.atoll.internal/npm/@a/b/-/b-1.0.0.tgz");
    assertThat(page.json().at("/versions/1.0.0/dist/size").asInt()).isEqualTo(7);
    assertThat(get("/npm/@a/b/-/b-1.0.0.tgz").body()).isEqualTo(CONTENT);
    registry.off = true;
    assertThat(get("/npm/@a/b/-/b-1.0.0.tgz").body()).isEqualTo(CONTENT);
  }

  @Test
  void aRegistryCannotLeadTheServerWhereItMayNotGo() {
    registry.forbidden = "/files/";
    assertThat(get("/pip/files/demo/" + WHEEL).status()).contains("504");
    assertThat(registry.times("/files/" + WHEEL)).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/pip/simple/../../etc/passwd",
        "/pip/simple/%2e%2e/",
        "/pip/files/demo/..%2f..%2fx",
        "/pip/files/demo/other.whl",
        "/pip/simple/nope/",
        "/npm/../x",
        "/npm/a/b/c",
        "/npm/demo/-/../../x",
        "/other",
        "/"
      })
  void whatIsNoPackageIsNotFound(String path) {
    assertThat(get(path).status()).contains("404");
    assertThat(registry.asked).allMatch(asked -> asked.matches("/simple/(nope|demo)/"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST /pip/simple/demo/ HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
        "GET http://elsewhere.test/ HTTP/1.1\r\n\r\n",
        "garbage\r\n\r\n",
        "PUT /npm/x HTTP/1.1\r\n\r\n"
      })
  void whatIsNoQuestionIsRefused(String request) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    cache.serve(
        new ByteArrayInputStream(request.getBytes(StandardCharsets.US_ASCII)),
        out,
        (code, message) -> {});
    assertThat(out.toString(StandardCharsets.US_ASCII)).matches("(?s)HTTP/1.1 40[035] .*");
    assertThat(registry.asked).isEmpty();
  }

  @Test
  void aConnectionServesOneRequestAfterAnother() throws IOException {
    String request = "GET /pip/simple/demo/ HTTP/1.1\r\nHost: x\r\n\r\n";
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    cache.serve(
        new ByteArrayInputStream((request + request).getBytes(StandardCharsets.US_ASCII)),
        out,
        (code, message) -> {});
    assertThat(out.toString(StandardCharsets.US_ASCII).split("HTTP/1.1 200", -1)).hasSize(3);
  }

  private List<String> kept(String part) throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve(part))) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  private static byte[] content(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }

  private static String hex(String algorithm, byte[] bytes) {
    return HexFormat.of().formatHex(digest(algorithm, bytes));
  }

  private static byte[] digest(String algorithm, byte[] bytes) {
    try {
      return MessageDigest.getInstance(algorithm).digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
