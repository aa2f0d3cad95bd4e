package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.driver.testkit.hostile.HostileTars;
import dev.atoll.driver.testkit.hostile.HostileTars.Hostile;
import dev.atoll.driver.testkit.hostile.Sentinel;
import dev.atoll.model.Json;
import dev.atoll.server.EngineFixture.Answer;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Archives that mean harm as what a client gives to a running server: the base of a recipe, as a
 * file and as an image, and a snapshot. The machines are objects in this process; all that the host
 * does with archives is real.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class HostileBasesTest {
  private OfferedFiles offered;
  private EngineFixture server;
  private Sentinel sentinel;
  private List<Hostile> corpus;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    offered = new OfferedFiles();
    server =
        new EngineFixture(
            folder, "--template.insecure-hosts=" + offered.host(), "--template.max-disk=4MiB");
    Path outside = folder.resolve("outside");
    sentinel = Sentinel.make(outside);
    corpus = HostileTars.all(outside);
  }

  @AfterAll
  void stop() {
    server.close();
    offered.close();
  }

  @TestFactory
  Stream<DynamicTest> tarballsAreRefusedOrHarmless() {
    return corpus.stream()
        .map(
            hostile ->
                DynamicTest.dynamicTest(
                    hostile.name(),
                    () -> assertBuilt(hostile, offered.tarball(hostile.archive()))));
  }

  /** Those that are harmless make one image: each layer is laid over what the others have left. */
  @Test
  void harmlessLayersOfAnImageReachNothing() throws Exception {
    List<byte[]> layers =
        corpus.stream().filter(h -> h.refusal() == null).map(Hostile::archive).toList();
    assertBuilt(new Hostile("all that are harmless", new byte[0], null), offered.image(layers));
  }

  /** One of each kind that is refused; the engine's own tests try every one as a layer. */
  @Test
  void layersOfImagesAreRefused() throws Exception {
    Set<String> kinds =
        Set.of("hard link out", "a chain of links", "a GNU long name of 8 GiB", "a bomb of zstd");
    List<Hostile> some = corpus.stream().filter(h -> kinds.contains(h.name())).toList();
    assertThat(some).hasSameSizeAs(kinds);
    for (Hostile hostile : some) {
      assertBuilt(hostile, offered.image(List.of(hostile.archive())));
    }
  }

  private void assertBuilt(Hostile hostile, String base) throws Exception {
    Set<String> before = kept();
    Answer answer =
        server.send(
            server
                .request("/v1/templates")
                .header("Content-Type", "application/yaml")
                .POST(BodyPublishers.ofString("{name: hostile, base: %s}".formatted(base))));
    JsonNode last = Json.lenient().readTree(answer.body().lines().toList().getLast());
    if (last.get("type").asString().equals("ready")) {
      assertThat(hostile.refusal()).as("it is not refused").isIn(null, "");
      assertThat(server.delete("/v1/templates/hostile").status()).isEqualTo(204);
    } else {
      String message = last.at("/error/message").asString();
      assertThat(hostile.refusal()).as(message).isNotNull();
      assertThat(last.at("/error/code").asString())
          .as(message)
          .isIn("invalid_argument", "too_large");
      assertThat(message).contains(hostile.refusal()).hasSizeLessThan(1000).doesNotContain("\0");
      assertThat(server.get("/v1/templates/hostile").code()).isEqualTo("template_not_found");
    }
    sentinel.assertUntouched();
    assertThat(kept()).isEqualTo(before);
  }

  /** What the server has beside its database and the logs of builds. */
  private Set<String> kept() throws IOException {
    Set<String> kept = new TreeSet<>();
    for (Path folder : List.of(server.data(), server.data().resolve("templates"))) {
      try (Stream<Path> entries = Files.list(folder)) {
        entries.map(entry -> folder.relativize(entry).toString()).forEach(kept::add);
      }
    }
    kept.removeIf(name -> name.equals("builds") || name.startsWith("atoll.db"));
    return kept;
  }

  @Test
  void noneIsTakenForASnapshot() throws Exception {
    for (Hostile hostile : corpus) {
      Answer answer =
          server.send(
              server
                  .request("/v1/snapshots/import")
                  .header("Content-Type", "application/zstd")
                  .POST(BodyPublishers.ofByteArray(hostile.archive())));
      assertThat(answer.status()).as(hostile + ": " + answer.body()).isEqualTo(400);
      assertThat(answer.code()).isEqualTo("invalid_argument");
    }
    sentinel.assertUntouched();
    assertThat(server.get("/v1/snapshots").json().get("items")).isEmpty();
    try (Stream<Path> left = Files.walk(server.data().resolve("snapshots"))) {
      assertThat(left.filter(file -> !Files.isDirectory(file))).isEmpty();
    }
  }
}
