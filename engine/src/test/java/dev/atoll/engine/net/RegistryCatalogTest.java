package dev.atoll.engine.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Cidr;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RegistryCatalogTest {
  private static final HostTools NO_TOOLS = HostTools.none();

  @TempDir Path root;

  @Test
  void pipReadsItsFilesAndVariables() throws IOException {
    write(
        "etc/pip.conf",
        "[global]\nindex-url = https://pip.test:8443/simple\nextra-index-url =\n  http://a.test/x\n  https://b.test\n");
    assertThat(hosts(PackageTool.PIP, Map.of("PIP_INDEX_URL", "https://env.test/simple")))
        .containsExactlyInAnyOrder("pip.test:8443", "a.test:80", "b.test:443", "env.test:443");
  }

  @Test
  void pipWithoutConfigurationIsAskedForItsOwnIndex() throws IOException {
    write(
        "usr/lib/python3/dist-packages/pip/_internal/models/index.py",
        "PyPI = PackageIndex(\"https://default.test/\", file_storage_domain=\"files.test\")\nTestPyPI = PackageIndex(\n  \"https://other.test/\", file_storage_domain=\"x.test\"\n)\n");
    assertThat(hosts(PackageTool.PIP, Map.of()))
        .containsExactlyInAnyOrder("default.test:443", "files.test:443");
  }

  @Test
  void npmReadsItsFilesAndItsDefinitions() throws IOException {
    write(
        "root/.npmrc",
        "registry=https://npm.test/\n@mine:registry=http://scope.test:4873/\n//npm.test/:_authToken=x\n");
    write(
        "usr/share/nodejs/@npmcli/config/lib/definitions/definitions.js",
        "define('registry', {\n  default: 'https://npm-default.test/',\n  type: url,\n})\n");
    assertThat(hosts(PackageTool.NPM, Map.of()))
        .containsExactlyInAnyOrder("npm.test:443", "scope.test:4873", "npm-default.test:443");
  }

  @Test
  void aptReadsBothForms() throws IOException {
    write(
        "etc/apt/sources.list",
        "# deb http://no.test x\ndeb [arch=amd64 signed-by=/k] http://deb.test/debian stable main\ndeb cdrom:[x] y\n");
    write(
        "etc/apt/sources.list.d/more.sources",
        "Types: deb\nURIs: http://one.test/debian https://two.test/\nSuites: x\n");
    assertThat(hosts(PackageTool.APT, Map.of()))
        .containsExactlyInAnyOrder("deb.test:80", "one.test:80", "two.test:443");
  }

  @Test
  void theOthersReadTheirs() throws IOException {
    write(
        "root/.cargo/config.toml",
        "[source.mirror]\nregistry = \"sparse+https://cargo.test/index/\"\n");
    write("root/.gemrc", ":sources:\n- https://gem.test/\n");
    write(
        "root/.m2/settings.xml",
        "<settings><!-- <url>http://no.test</url> --><mirrors><mirror><url>https://maven.test/x</url></mirror><mirror><url>http://0.0.0.0/</url><blocked>true</blocked></mirror></mirrors></settings>");
    write("usr/local/go/go.env", "GOPROXY=https://go.test,direct\nGOSUMDB=sums.test\n");
    assertThat(hosts(PackageTool.CARGO, Map.of())).containsExactly("cargo.test:443");
    assertThat(hosts(PackageTool.GEM, Map.of())).containsExactly("gem.test:443");
    assertThat(hosts(PackageTool.MAVEN, Map.of())).containsExactly("maven.test:443");
    assertThat(hosts(PackageTool.GO, Map.of()))
        .containsExactlyInAnyOrder("go.test:443", "sums.test:443");
    assertThat(hosts(PackageTool.GO, Map.of("GOPROXY", "http://goenv.test|off")))
        .contains("goenv.test:80");
  }

  @Test
  void cargoItselfHasAnIndexForItsDefault() throws IOException {
    // Where two blocks that are read meet.
    String before = "x".repeat((1 << 20) - 20);
    write("usr/bin/cargo", before + "sparse+https://index.cargo.test/registry+https://other.test");
    assertThat(hosts(PackageTool.CARGO, Map.of())).containsExactly("index.cargo.test:443");
    write("root/.cargo/config.toml", "registry = \"sparse+https://mine.test/index/\"\n");
    assertThat(hosts(PackageTool.CARGO, Map.of())).containsExactly("mine.test:443");
  }

  @Test
  void nowhereIsNoRegistry() {
    assertThat(Registry.of(URI.create("http://0.0.0.0/"), "a test", true)).isNull();
    assertThat(Registry.of(URI.create("http://[::]/"), "a test", true)).isNull();
    assertThat(Registry.of(URI.create("ftp://a.test/"), "a test", true)).isNull();
  }

  @Test
  void linksOutOfATemplateAreNotFollowed(@TempDir Path elsewhere) throws IOException {
    Path secret =
        Files.writeString(elsewhere.resolve("secret"), "index-url = https://secret.test/\n");
    Files.createDirectories(root.resolve("etc"));
    Files.createSymbolicLink(root.resolve("etc/pip.conf"), secret);
    assertThat(hosts(PackageTool.PIP, Map.of())).isEmpty();
  }

  @Test
  void downloadHostsAreLearnedFromLinksAndRedirects() {
    DownloadHosts downloads =
        downloads(
            Map.of(
                "https://pip.test/simple/pip/",
                new PageFetcher.Fetched(
                    null,
                    "<a href=\"https://files.test/x.whl#sha\">x</a><a href=\"../y.whl\">y</a>"),
                "https://npm.test/npm/latest",
                new PageFetcher.Fetched(URI.create("https://moved.test/npm/latest"), ""),
                "https://moved.test/npm/latest",
                new PageFetcher.Fetched(
                    null, "{\"dist\":{\"tarball\":\"https://tar.test/n.tgz\"}}")));
    assertThat(
            names(
                downloads.learn(
                    PackageTool.PIP, URI.create("https://pip.test/simple"), Registries.none())))
        .containsExactly("files.test:443");
    assertThat(
            names(
                downloads.learn(
                    PackageTool.NPM, URI.create("https://npm.test"), Registries.none())))
        .containsExactly("moved.test:443", "tar.test:443");
  }

  @Test
  void whatComesWithoutTlsTeachesNothing() {
    DownloadHosts downloads =
        downloads(
            Map.of(
                "http://pip.test/pip/",
                new PageFetcher.Fetched(null, "<a href=\"https://evil.test/x\">"),
                "http://npm.test/npm/latest",
                new PageFetcher.Fetched(URI.create("https://evil.test/"), "")));
    assertThat(downloads.learn(PackageTool.PIP, URI.create("http://pip.test"), Registries.none()))
        .isEmpty();
    assertThat(downloads.learn(PackageTool.NPM, URI.create("http://npm.test"), Registries.none()))
        .isEmpty();
  }

  @Test
  void theServerIsNotLedToPrivateAddresses() {
    DownloadHosts downloads =
        downloads(
            Map.of(
                "http://10.0.0.1/pip/",
                new PageFetcher.Fetched(null, "<a href=\"https://files.test/x\">")));
    URI inside = URI.create("http://10.0.0.1");
    assertThat(downloads.learn(PackageTool.PIP, inside, Registries.none())).isEmpty();
    Registries trusted = new Registries(Set.of(new Registry("10.0.0.1", 80, "settings", true)));
    assertThat(names(downloads.learn(PackageTool.PIP, inside, trusted)))
        .containsExactly("files.test:443");
  }

  @Test
  void hostTemplateAndSettingsAddUpAndOnlyTheServersOwnAreTrusted(@TempDir Path template)
      throws IOException {
    write("etc/pip.conf", "[global]\nindex-url = https://pip.test/simple\n");
    Files.createDirectories(template.resolve("etc"));
    Files.writeString(template.resolve("etc/pip.conf"), "[global]\nindex-url = http://tpl.test/\n");
    NetworkSettings defaults = NetworkSettings.defaults();
    NetworkSettings settings =
        new NetworkSettings(
            defaults.sandbox(),
            defaults.project(),
            defaults.connectDeadline(),
            defaults.resolveDeadline(),
            defaults.idleTimeout(),
            defaults.bufferBytes(),
            List.of(),
            List.of(URI.create("https://given.test/")),
            true,
            defaults.retention(),
            10,
            defaults.ceiling());
    try (RegistryCatalog catalog =
        new RegistryCatalog(settings, downloads(Map.of()), () -> SearchRoot.host(root))) {
      Registries all = catalog.of(template).settled(Duration.ofSeconds(10));
      assertThat(all.names()).containsExactly("given.test:443", "pip.test:443", "tpl.test:80");
      assertThat(all.isTrusted(Target.parse("given.test", 443))).isTrue();
      assertThat(all.isTrusted(Target.parse("pip.test", 443))).isTrue();
      assertThat(all.isTrusted(Target.parse("tpl.test", 80))).isFalse();
      assertThat(catalog.of(null).current().names()).doesNotContain("tpl.test:80");
      assertThat(catalog.of(template).ofHost().names())
          .containsExactly("given.test:443", "pip.test:443");
    }
  }

  private DownloadHosts downloads(Map<String, PageFetcher.Fetched> pages) {
    PageFetcher fetcher =
        (uri, withText) -> {
          PageFetcher.Fetched page = pages.get(uri.toString());
          if (page == null) {
            throw new IOException("no page " + uri);
          }
          return page;
        };
    return new DownloadHosts(
        fetcher,
        new Resolver(name -> List.of(Cidr.literal("93.184.216.34"))),
        new AddressGuard(List.of(), Set::of));
  }

  private List<String> hosts(PackageTool manager, Map<String, String> environment) {
    SearchRoot search = new SearchRoot(root, List.of("root"), environment, false, NO_TOOLS);
    return manager.find(search).stream()
        .map(found -> Registry.of(found.uri(), found.source(), false))
        .map(registry -> registry == null ? "none" : registry.host() + ":" + registry.port())
        .distinct()
        .toList();
  }

  private static List<String> names(Set<Registry> registries) {
    return registries.stream().map(r -> r.host() + ":" + r.port()).toList();
  }

  private void write(String path, String text) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
