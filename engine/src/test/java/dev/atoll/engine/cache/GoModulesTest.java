package dev.atoll.engine.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.ErrorCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
final class GoModulesTest {
  private static final String MODULE = "reef.test/!demo";
  private static final String NAME = "reef.test/Demo";
  private static final String AT = "/go/" + MODULE + "/@v/";
  private static final String MOD = "module reef.test/Demo\n";
  private static final String SUMS = "/go/sumdb/sums.test/";

  @TempDir Path folder;
  private FakeRegistry registry = unset();
  private PackageCache cache = unset();

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T unset() {
    return null;
  }

  @BeforeEach
  void start() throws IOException {
    registry = new FakeRegistry();
    registry.goSums = new GoSums("sums.test", registry.uri("/sums"), List.of("corp.test/*"));
    cache = cache(Duration.ofMinutes(2));
    module(files("package demo\n"));
    record(files("package demo\n"));
    registry.page(SUMS + "supported", "text/plain", "");
  }

  @AfterEach
  void stop() {
    registry.close();
  }

  private PackageCache cache(Duration age) {
    return new PackageCache(PackageSettings.of(1 << 30, age), folder, registry);
  }

  /** Not in their order, as nobody promises one. */
  private static Map<String, String> files(String source) {
    Map<String, String> files = new LinkedHashMap<>();
    files.put(NAME + "@v1.0.0/sub/b.go", "package sub\n");
    files.put(NAME + "@v1.0.0/demo.go", source);
    files.put(NAME + "@v1.0.0/go.mod", MOD);
    return files;
  }

  private void module(Map<String, String> files) throws IOException {
    registry.page(AT + "list", "text/plain", "v1.0.0\n");
    registry.page(AT + "v1.0.0.info", "application/json", "{\"Version\":\"v1.0.0\"}");
    registry.page(AT + "main.info", "application/json", "{\"Version\":\"v1.0.0\"}");
    registry.page(AT + "v1.0.0.mod", "text/plain", MOD);
    registry.page(AT + "v1.0.0.zip", "application/zip", zip(files));
    registry.page("/go/" + MODULE + "/@latest", "application/json", "{\"Version\":\"v1.0.0\"}");
  }

  private void record(Map<String, String> files) {
    registry.page(
        SUMS + "lookup/" + MODULE + "@v1.0.0",
        "text/plain",
        "7\n%s v1.0.0 %s\n%s v1.0.0/go.mod %s\n\ngo.sum database tree\n8\nAAAA\n\n— sums.test AA\n"
            .formatted(NAME, sum(files), NAME, sum(Map.of("go.mod", MOD))));
  }

  @Test
  void aModuleIsFetchedOnceAndGivenAlsoWhenTheProxyIsGone() throws IOException {
    byte[] zip = zip(files("package demo\n"));
    for (String path : List.of("list", "v1.0.0.info", "v1.0.0.mod", "v1.0.0.zip")) {
      assertThat(program().get(AT + path).status()).as(path).contains("200");
    }
    assertThat(program().get("/go/" + MODULE + "/@latest").status()).contains("200");
    assertThat(program().get(SUMS + "supported").status()).contains("200");
    assertThat(program().get(SUMS + "lookup/" + MODULE + "@v1.0.0").text()).contains(NAME, "h1:");
    registry.off = true;
    cache = cache(Duration.ZERO);
    assertThat(program().get(AT + "list").text()).isEqualTo("v1.0.0\n");
    assertThat(program().get(AT + "v1.0.0.info").text()).contains("v1.0.0");
    assertThat(program().get(AT + "v1.0.0.mod").text()).isEqualTo(MOD);
    assertThat(program().get(AT + "v1.0.0.zip").body()).isEqualTo(zip);
    assertThat(program().get("/go/" + MODULE + "/@latest").text()).contains("v1.0.0");
    assertThat(program().get(SUMS + "lookup/" + MODULE + "@v1.0.0").text()).contains(NAME);
    assertThat(registry.times(AT + "v1.0.0.zip")).isEqualTo(1);
    assertThat(program().get(AT + "v1.0.1.zip").status()).contains("504");
  }

  @Test
  void whatIsFixedIsNotAskedForAgainAndABranchIs() {
    cache = cache(Duration.ZERO);
    for (int i = 0; i < 2; i++) {
      assertThat(program().get(AT + "v1.0.0.info").status()).contains("200");
      assertThat(program().get(AT + "main.info").status()).contains("200");
    }
    assertThat(registry.asked.stream().filter(p -> p.contains("v1.0.0.info"))).hasSize(1);
    assertThat(registry.asked.stream().filter(p -> p.contains("main.info"))).hasSize(2);
  }

  @Test
  void anotherPackingOfTheSameFilesIsTheSameModule() throws IOException {
    Map<String, String> sorted = new TreeMap<>(files("package demo\n"));
    registry.page(AT + "v1.0.0.zip", "application/zip", zip(sorted));
    assertThat(program().get(AT + "v1.0.0.zip").body()).isEqualTo(zip(sorted));
    assertThat(kept()).anyMatch(name -> name.startsWith("gozip-"));
  }

  @Test
  void aModuleThatIsNotWhatTheDatabaseSaysIsNeitherGivenWholeNorKept() throws IOException {
    registry.page(AT + "v1.0.0.zip", "application/zip", zip(files("package evil\n")));
    assertCorrupt("v1.0.0.zip");
    registry.page(AT + "v1.0.0.zip", "application/zip", "this is no archive at all");
    assertCorrupt("v1.0.0.zip");
    registry.page(AT + "v1.0.0.mod", "text/plain", "module reef.test/other\n");
    assertCorrupt("v1.0.0.mod");
  }

  private void assertCorrupt(String file) throws IOException {
    FakeProgram program = program();
    FakeProgram.Came came = program.get(AT + file);
    assertThat(came.whole() && came.status().contains("200")).isFalse();
    assertThat(program.troubles()).containsExactly(ErrorCode.PACKAGE_CORRUPT);
    assertThat(kept()).isEmpty();
  }

  @Test
  void anArchiveWhoseTableWouldFillTheMemoryIsNotRead() throws IOException {
    byte[] zip = zip(files("package demo\n"));
    // The size of the table is a word, 12 bytes into what an archive ends with.
    zip[zip.length - 22 + 15] = 0x7f;
    registry.page(AT + "v1.0.0.zip", "application/zip", zip);
    assertCorrupt("v1.0.0.zip");
  }

  /** Readers of archives differ in which end they take. */
  @Test
  void aSmallTableInACommentHidesNoLargeOne() throws IOException {
    byte[] zip = zip(files("package demo\n"));
    byte[] end = Arrays.copyOfRange(zip, zip.length - 22, zip.length);
    zip[zip.length - 22 + 15] = 0x7f;
    zip[zip.length - 2] = 22;
    byte[] both = Arrays.copyOf(zip, zip.length + end.length);
    System.arraycopy(end, 0, both, zip.length, end.length);
    registry.page(AT + "v1.0.0.zip", "application/zip", both);
    assertCorrupt("v1.0.0.zip");
  }

  /** Else two archives could have one digest. */
  @Test
  void aNameWithALineBreakIsNotTaken() throws IOException {
    Map<String, String> files = files("package demo\n");
    files.put(NAME + "@v1.0.0/a\nb.go", "package demo\n");
    record(files);
    registry.page(AT + "v1.0.0.zip", "application/zip", zip(files));
    assertCorrupt("v1.0.0.zip");
  }

  @Test
  void whatTheDatabaseDoesNotHaveIsPassedOnAndNotKept() throws IOException {
    registry.page("/go/reef.test/own/@v/v1.0.0.mod", "text/plain", MOD);
    assertThat(program().get("/go/reef.test/own/@v/v1.0.0.mod").text()).isEqualTo(MOD);
    assertThat(kept()).isEmpty();
  }

  @Test
  void namesOfPrivateModulesAreNotTold() {
    registry.page("/go/corp.test/secret/@v/v1.0.0.mod", "text/plain", MOD);
    assertThat(program().get("/go/corp.test/secret/@v/v1.0.0.mod").text()).isEqualTo(MOD);
    assertThat(program().get(SUMS + "lookup/corp.test/secret@v1.0.0").status()).contains("404");
    assertThat(registry.asked).noneMatch(path -> path.contains("lookup"));
  }

  @Test
  void theDatabaseIsAskedItselfWhereTheProxyDoesNotPassItOn() {
    registry.goProxies = List.of("/plain");
    registry.page("/sums/latest", "text/plain", "go.sum database tree\n");
    registry.page("/sums/tile/8/0/x001/067.p/126", "application/octet-stream", "xyz");
    assertThat(program().get(SUMS + "latest").text()).contains("tree");
    assertThat(program().get(SUMS + "tile/8/0/x001/067.p/126").text()).isEqualTo("xyz");
    assertThat(program().get("/go/sumdb/other.test/latest").status()).contains("404");
    registry.goSums = null;
    assertThat(program().get(SUMS + "supported").status()).contains("404");
  }

  @Test
  void theNextProxyIsAskedForWhatTheFirstDoesNotHave() {
    registry.goProxies = List.of("/empty", "/go");
    assertThat(program().get(AT + "list").status()).contains("200");
    assertThat(program().get(AT + "v1.0.0.zip").status()).contains("200");
    assertThat(registry.asked).contains("/empty/" + MODULE + "/@v/list");
  }

  @Test
  void withoutAProxyTheSettingIsNamed() {
    registry.goProxies = List.of();
    FakeProgram.Came came = program().get(AT + "list");
    assertThat(came.status()).contains("504");
    assertThat(came.text()).contains("packages.go");
  }

  @Test
  void aRecordOrAListMayNotBeEndless() {
    registry.page(SUMS + "latest", "text/plain", new byte[2 << 20]);
    assertThat(program().get(SUMS + "latest").status()).contains("504");
    registry.page(AT + "list", "text/plain", new byte[17 << 20]);
    assertThat(program().get(AT + "list").text()).contains("larger than");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/go/",
        "/go/../secret/@v/list",
        "/go/a/../../b/@v/list",
        "/go/a/@v/../../x.info",
        "/go/a/@v/v1.0.0.exe",
        "/go/a//b/@latest",
        "/go/sumdb/sums.test/",
        "/go/sumdb/sums.test/lookup/../x@v1",
        "/go/sumdb/sums.test/lookup/a/../../x@v1",
        "/go/sumdb/sums.test/lookup//other.test/x@v1",
        "/go/sumdb/sums.test/tile/8/0/../../x",
        "/go/sumdb/../x/latest"
      })
  void whatIsNoModuleIsNotFound(String path) {
    assertThat(program().get(path).status()).contains("404");
    assertThat(registry.asked).noneMatch(asked -> asked.contains(".."));
  }

  @ParameterizedTest
  @CsvSource({
    "corp.test, corp.test/a/b, false",
    "corp.test/a, corp.test/a/b, false",
    "corp.test/*, corp.test, true",
    "*.corp.test, git.corp.test/x, false",
    "corp.test, corp.test.other/x, true",
    "'', corp.test/x, true",
  })
  void patternsAreAboutAllBelowThem(String pattern, String module, boolean asked) {
    GoSums sums = new GoSums("sums.test", registry.uri("/"), List.of(pattern));
    assertThat(sums.mayBeAsked(module)).isEqualTo(asked);
  }

  private FakeProgram program() {
    return new FakeProgram(cache);
  }

  private List<String> kept() throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("files"))) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  private static byte[] zip(Map<String, String> files) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      for (Map.Entry<String, String> file : files.entrySet()) {
        ZipEntry entry = new ZipEntry(file.getKey());
        entry.setTime(0);
        zip.putNextEntry(entry);
        zip.write(file.getValue().getBytes(StandardCharsets.UTF_8));
        zip.closeEntry();
      }
    }
    return bytes.toByteArray();
  }

  /** As Go's own documentation has it. */
  private static String sum(Map<String, String> files) {
    StringBuilder lines = new StringBuilder();
    new TreeMap<>(files)
        .forEach(
            (name, content) ->
                lines
                    .append(HexFormat.of().formatHex(sha256(content)))
                    .append("  ")
                    .append(name)
                    .append('\n'));
    return "h1:" + Base64.getEncoder().encodeToString(sha256(lines.toString()));
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
