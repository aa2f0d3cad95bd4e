package dev.atoll.supply;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.cyclonedx.Version;
import org.cyclonedx.parsers.JsonParser;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The list of what ships, made as {@code launcher/sbom} makes it, from this checkout's own build.
 */
final class SbomIT {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  @TempDir static Path folder;
  private static Path sbom = Path.of("");

  @BeforeAll
  static void write() throws Exception {
    sbom = folder.resolve("sbom.json");
    Process launcher =
        new ProcessBuilder(ROOT.resolve("launcher/sbom").toString(), sbom.toString())
            .redirectErrorStream(true)
            .start();
    launcher.getOutputStream().close();
    String said = new String(launcher.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(launcher.waitFor()).as(said).isZero();
  }

  @Test
  void itIsValid() throws Exception {
    assertThat(new JsonParser().validate(sbom.toFile(), Version.VERSION_16)).isEmpty();
  }

  @Test
  void itHasEveryJarThatShipsAndNoOther() throws Exception {
    for (String part : List.of("server", "cli")) {
      Set<String> shipped = new TreeSet<>();
      for (Path jar : Shipped.jars(ROOT.resolve(part).resolve("target/lib"))) {
        if (!jar.getFileName().toString().startsWith("atoll-")) {
          shipped.add(Shipped.sha256(jar));
        }
      }
      assertThat(shipped).isNotEmpty();
      assertThat(hashes(part)).isEqualTo(shipped);
    }
  }

  private static Set<String> hashes(String part) throws Exception {
    return new JsonParser()
        .parse(sbom.toFile()).getComponents().stream()
            .filter(c -> c.getProperties().getFirst().getValue().equals(part))
            .map(c -> Objects.requireNonNull(c.getHashes()).getFirst().getValue())
            .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void theSandboxAndWhatTheAgentIsLinkedWithAreInIt() throws Exception {
    assertThat(Files.readString(sbom))
        .contains(
            "pkg:golang/gvisor.dev/gvisor@", "pkg:deb/debian/musl@", "pkg:deb/debian/protobuf-c@");
  }
}
