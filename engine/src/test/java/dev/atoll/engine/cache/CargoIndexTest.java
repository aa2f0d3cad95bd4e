package dev.atoll.engine.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
final class CargoIndexTest {
  private static final byte[] CRATE = content(200_000);
  private static final String PAGE = "/index/re/ef/reefdemo";
  private static final String FILE = "/cargo/crates/reefdemo/1.0.0/download";

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
    cache = cache(Duration.ofMinutes(2));
    crates("/crates/{crate}/{crate}-{version}.crate");
    registry.page(PAGE, "text/plain", version("1.0.0", CRATE));
    registry.page("/crates/reefdemo/reefdemo-1.0.0.crate", "application/gzip", CRATE);
  }

  @AfterEach
  void stop() {
    registry.close();
  }

  private PackageCache cache(Duration age) {
    return new PackageCache(PackageSettings.of(1 << 30, age), folder, registry);
  }

  private void crates(String form) {
    registry.page(
        "/index/config.json",
        "application/json",
        "{\"dl\":\"%s\",\"api\":\"https://api.test\"}".formatted(registry.uri("") + form));
  }

  private static String version(String version, byte[] crate) {
    return "{\"name\":\"reefdemo\",\"vers\":\"%s\",\"deps\":[],\"cksum\":\"%s\",\"yanked\":false}\n"
        .formatted(version, sha256(crate));
  }

  @Test
  void aCrateIsFetchedOnceAndGivenAlsoWhenTheRegistryIsGone() {
    assertThat(program().get("/cargo/config.json").json().get("dl").asString())
        .isEqualTo("http://packages.atoll.internal/cargo/crates");
    String page = program().get("/cargo/re/ef/reefdemo").text();
    assertThat(page).isEqualTo(version("1.0.0", CRATE));
    assertThat(program().get(FILE).body()).isEqualTo(CRATE);
    registry.off = true;
    cache = cache(Duration.ZERO);
    assertThat(program().get("/cargo/re/ef/reefdemo").text()).isEqualTo(page);
    assertThat(program().get(FILE).body()).isEqualTo(CRATE);
    assertThat(registry.times("/crates/reefdemo/reefdemo-1.0.0.crate")).isEqualTo(1);
    assertThat(program().get("/cargo/ot/he/other").status()).contains("504");
  }

  @ParameterizedTest
  @CsvSource({
    "/dl, /dl/reefdemo/1.0.0/download",
    "/dl/{prefix}/{crate}-{version}, /dl/re/ef/reefdemo-1.0.0",
    "/{lowerprefix}/{crate}.crate, /re/ef/reefdemo.crate",
  })
  void cratesAreWhereTheRegistrySays(String form, String path) {
    crates(form);
    registry.page(path, "application/gzip", CRATE);
    assertThat(program().get(FILE).body()).isEqualTo(CRATE);
  }

  @Test
  void aCrateThatIsNotWhatTheIndexPromisesIsNeitherGivenWholeNorKept() throws IOException {
    registry.page("/crates/reefdemo/reefdemo-1.0.0.crate", "application/gzip", content(200_001));
    FakeProgram program = program();
    FakeProgram.Came came = program.get(FILE);
    assertThat(came.whole() && came.status().contains("200")).isFalse();
    assertThat(program.troubles()).containsExactly(ErrorCode.PACKAGE_CORRUPT);
    try (Stream<Path> files = Files.list(folder.resolve("files"))) {
      assertThat(files).isEmpty();
    }
  }

  @Test
  void aVersionThatHasComeSinceIsFound() {
    assertThat(program().get("/cargo/re/ef/reefdemo").text()).contains("1.0.0");
    registry.page(PAGE, "text/plain", version("1.0.0", CRATE) + version("1.0.1+x", CRATE));
    registry.page("/crates/reefdemo/reefdemo-1.0.1+x.crate", "application/gzip", CRATE);
    cache = cache(Duration.ZERO);
    assertThat(program().get("/cargo/crates/reefdemo/1.0.1+x/download").body()).isEqualTo(CRATE);
  }

  @Test
  void aPageMayHaveManyVersionsButNoEndlessLine() {
    StringBuilder page = new StringBuilder();
    for (int i = 0; i < 50_000; i++) {
      page.append(version("1.0." + i, CRATE));
    }
    registry.page(PAGE, "text/plain", page.toString());
    registry.page("/crates/reefdemo/reefdemo-1.0.49999.crate", "application/gzip", CRATE);
    assertThat(program().get("/cargo/re/ef/reefdemo").text()).isEqualTo(page.toString());
    assertThat(program().get("/cargo/crates/reefdemo/1.0.49999/download").body()).isEqualTo(CRATE);
    registry.page("/index/en/dl/endless", "text/plain", new byte[3 << 20]);
    assertThat(program().get("/cargo/en/dl/endless").text()).contains("longer than");
    registry.page("/index/ha/lf/half", "text/plain", "{\"name\":\"half\",\"vers\":");
    assertThat(program().get("/cargo/ha/lf/half").status()).contains("504");
  }

  @ParameterizedTest
  @CsvSource({"1/a", "2/ab", "3/a/abc", "ab/cd/abcd"})
  void namesOfAnyLengthHaveTheirPlace(String path) {
    registry.page("/index/" + path, "text/plain", version("1.0.0", CRATE));
    assertThat(program().get("/cargo/" + path).status()).contains("200");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/cargo/",
        "/cargo/re/ef/other",
        "/cargo/re/ef/../reefdemo",
        "/cargo/crates/reefdemo/2.0.0/download",
        "/cargo/crates/../1.0.0/download",
        "/cargo/crates/reefdemo/1.0.0",
        "/cargo/no/pe/nope"
      })
  void whatIsNoCrateIsNotFound(String path) {
    assertThat(program().get(path).status()).contains("404");
    assertThat(registry.asked).allMatch(asked -> asked.startsWith("/index/"));
    assertThat(registry.asked).noneMatch(asked -> asked.contains(".."));
  }

  private FakeProgram program() {
    return new FakeProgram(cache);
  }

  private static byte[] content(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
