package dev.atoll.engine.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.engine.cache.GoSums;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which registry of several the package cache asks, as the managers themselves would choose. */
class ManagerSourcesTest {
  private static final String CRATES = "sparse+https://index.test/";

  @TempDir Path root;

  private SearchRoot host(Map<String, String> environment) {
    return new SearchRoot(root, List.of("root"), environment, true, HostTools.none());
  }

  private List<String> proxies(Map<String, String> environment) {
    return new GoConfiguration().proxies(host(environment)).stream().map(URI::toString).toList();
  }

  private @Nullable GoSums database() {
    return Objects.requireNonNull(new GoConfiguration().sums(host(Map.of()))).database();
  }

  @Test
  void goIsConfiguredByTheEnvironmentThenByTheUserThenByItsInstallation() throws IOException {
    assertThat(proxies(Map.of())).isEmpty();
    assertThat(new GoConfiguration().sums(host(Map.of()))).isNull();
    write("usr/local/go/go.env", "# GOPROXY=x\nGOPROXY=https://own.test,direct\n");
    assertThat(proxies(Map.of())).containsExactly("https://own.test");
    write("root/.config/go/env", "GOPROXY=https://name:word@a.test|https://b.test/x,off\n");
    assertThat(proxies(Map.of())).containsExactly("https://a.test", "https://b.test/x");
    assertThat(proxies(Map.of("GOPROXY", "direct"))).isEmpty();
    assertThat(proxies(Map.of("GOPROXY", "https://env.test,direct,https://late.test")))
        .containsExactly("https://env.test");
  }

  /** A template's Go asks the cache, which must not ask itself. */
  @Test
  void theCacheIsNoProxyOfItsOwn() throws IOException {
    write(
        "usr/lib/go-1.24/go.env",
        "GOPROXY=http://packages.atoll.internal/go,direct\nGOPROXY=https://own.test,direct\n");
    assertThat(proxies(Map.of())).containsExactly("https://own.test");
    assertThat(new GoConfiguration().find(host(Map.of())))
        .extracting(found -> found.uri().getHost())
        .containsExactly("own.test");
  }

  @ParameterizedTest
  @CsvSource({
    "sums.test, sums.test, https://sums.test",
    "sums.test+033de0ae+Ac4z/x, sums.test, https://sums.test",
    "sums.test+033de0ae+Ac4z https://near.test/s, sums.test, https://near.test/s",
  })
  void theDatabaseOfChecksumsIsThatOfTheHost(String said, String name, String address)
      throws IOException {
    write("root/.config/go/env", "GOSUMDB=" + said + "\nGOPRIVATE=corp.test,*.own.test\n");
    assertThat(database())
        .isEqualTo(new GoSums(name, URI.create(address), List.of("corp.test", "*.own.test")));
  }

  @Test
  void aHostThatBelievesNoDatabaseAsksNone() throws IOException {
    write("root/.config/go/env", "GOSUMDB=off\n");
    write("usr/local/go/go.env", "GOSUMDB=sums.test\n");
    assertThat(database()).isNull();
  }

  private List<String> index() {
    return new CargoConfiguration().index(host(Map.of())).stream().map(URI::toString).toList();
  }

  @Test
  void cargoIsConfiguredBySourcesThatStandForOthers() throws IOException {
    assertThat(index()).isEmpty();
    write("usr/bin/cargo", "program " + CRATES + " program");
    assertThat(index()).containsExactly("https://index.test/");
    write(
        "root/.cargo/config.toml", "[registries.other]\nindex = \"sparse+https://other.test/\"\n");
    assertThat(index()).as("what stands for nothing").containsExactly("https://index.test/");
    write(
        "root/.cargo/config.toml",
        """
        [source.crates-io]
        replace-with = 'first' # for now
        [source.first]
        replace-with = "mirror"
        [source."mirror"]
        registry = "sparse+https://name:word@mirror.test/index/"
        """);
    assertThat(index()).containsExactly("https://mirror.test/index/");
    write(
        "root/.cargo/config.toml",
        "[source.crates-io]\nreplace-with = \"git\"\n[source.git]\nregistry = \"https://git.test/x\"\n");
    assertThat(index()).as("one of git cannot be asked for a crate").isEmpty();
    write(
        "root/.cargo/config.toml",
        "[source.crates-io]\nreplace-with = \"a\"\n[source.a]\nreplace-with = \"crates-io\"\n");
    assertThat(index()).as("a circle").isNotNull();
  }

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }
}
