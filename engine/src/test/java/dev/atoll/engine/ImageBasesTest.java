package dev.atoll.engine;

import static dev.atoll.engine.LyingRegistry.CONFIG;
import static dev.atoll.engine.LyingRegistry.INDEX;
import static dev.atoll.engine.LyingRegistry.LAYER;
import static dev.atoll.engine.LyingRegistry.MANIFEST;
import static dev.atoll.engine.LyingRegistry.bytes;
import static dev.atoll.engine.LyingRegistry.descriptor;
import static dev.atoll.engine.LyingRegistry.digest;
import static dev.atoll.engine.LyingRegistry.entry;
import static dev.atoll.engine.LyingRegistry.index;
import static dev.atoll.engine.LyingRegistry.manifest;
import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.engine.LyingRegistry.Answer;
import dev.atoll.engine.LyingRegistry.Image;
import dev.atoll.engine.template.BuildLog;
import dev.atoll.model.BuildEvent;
import dev.atoll.model.BuildInfo;
import dev.atoll.model.ErrorBody;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Json;
import dev.atoll.model.SecretDomain;
import dev.atoll.model.SecretSpec;
import dev.atoll.model.SecretValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Images of a registry that lies wherever it can: each is refused with a reason, and nothing of it
 * is left.
 */
@Timeout(300)
final class ImageBasesTest {
  private static final String VICTIM = "victim";
  private static final String BASIC =
      "Basic " + Base64.getEncoder().encodeToString(bytes("puller:long enough"));

  @TempDir Path folder;
  private LyingRegistry registry;
  private LyingRegistry elsewhere;
  private EngineHarness harness;

  @BeforeEach
  void start() throws IOException {
    registry = new LyingRegistry();
    elsewhere = new LyingRegistry();
    harness = new EngineHarness(folder, Set.of(registry.host(), elsewhere.host()));
  }

  @AfterEach
  void stop() {
    harness.close();
    registry.close();
    elsewhere.close();
  }

  /** Builds a template on an image; the last that is said of it. */
  private BuildEvent build(String project, String image, String auth) {
    String recipe = "{name: made, base: {image: '%s'%s}}".formatted(image, auth);
    BuildInfo info = harness.engine().templateBuilds().start(project, bytes(recipe));
    String last = "";
    try (BuildLog.Reader reader =
        harness.engine().templateBuilds().log(project, "made", info.id())) {
      while (!reader.over()) {
        String line = reader.next(Duration.ofSeconds(1));
        last = line == null ? last : line;
      }
    }
    return Json.lenient().readValue(last, BuildEvent.class);
  }

  private BuildEvent build(String name) {
    return build(EngineHarness.PROJECT, registry.host() + "/" + name, "");
  }

  private ErrorBody failure(BuildEvent event) {
    assertThat(event).isInstanceOf(BuildEvent.BuildFailed.class);
    assertThat(harness.folders("templates")).noneMatch(name -> name.startsWith(".building"));
    return ((BuildEvent.BuildFailed) event).error();
  }

  /** The build fails for that reason, and leaves nothing. */
  private void assertRefused(String reason, String name) {
    List<String> before = harness.folders("templates");
    ErrorBody error = failure(build(name));
    assertThat(error.code()).as(error.message()).isEqualTo(ErrorCode.IMAGE_REFUSED);
    assertThat(error.details()).containsEntry("reason", reason);
    assertThat(harness.folders("templates")).isEqualTo(before);
    assertThat(folder).isDirectoryNotContaining(path -> path.endsWith("x"));
  }

  private void assertMade(BuildEvent event, String file) throws IOException {
    assertThat(event).as(String.valueOf(event)).isInstanceOf(BuildEvent.BuildReady.class);
    String digest = ((BuildEvent.BuildReady) event).template().digest();
    assertThat(harness.engine().templates().rootfs(digest).resolve(file)).hasContent(file);
  }

  /** The files in the folders that templates share. */
  private List<String> basesWith(String file) throws IOException {
    try (Stream<Path> entries = Files.list(folder.resolve("data/templates"))) {
      return entries
          .filter(path -> path.getFileName().toString().startsWith("base-"))
          .filter(path -> Files.exists(path.resolve(file)))
          .map(path -> path.getFileName().toString())
          .toList();
    }
  }

  private void secret(String project, String... domains) {
    SecretSpec spec =
        new SecretSpec(
            "pull",
            SecretValue.of("long enough"),
            Arrays.stream(domains).map(SecretDomain::parse).toList(),
            null,
            null,
            null,
            null);
    harness.engine().secrets().put(project, "pull", spec);
  }

  @Test
  void anHonestImageByTagByPinAndByIndex() throws IOException {
    Image image = registry.push("team/app", "1", "etc/honest");
    byte[] index = bytes(index(entry(MANIFEST, image.digest(), image.manifest().length)));
    registry.manifest("team/app", "multi", INDEX, index);
    registry.manifest("team/app", digest(index), INDEX, index);
    assertMade(build("team/app:1"), "etc/honest");
    assertMade(build("team/app@" + image.digest()), "etc/honest");
    assertMade(build("team/app:multi"), "etc/honest");
    assertMade(build("team/app@" + digest(index)), "etc/honest");
    assertMade(build(VICTIM, registry.host() + "/team/app:1", ""), "etc/honest");
    assertThat(basesWith("etc/honest")).as("all of them share one base").hasSize(1);
  }

  @Test
  void anotherManifestUnderAPin() {
    Image image = registry.push("team/app", "1", "etc/honest");
    Image other = registry.push("team/other", "1", "etc/planted");
    registry.manifest("team/app", image.digest(), MANIFEST, other.manifest());
    assertRefused("digest_mismatch", "team/app@" + image.digest());
  }

  @Test
  void anotherManifestUnderAnEntryOfAnIndex() {
    Image image = registry.push("team/app", "1", "etc/honest");
    Image other = registry.push("team/other", "1", "etc/planted");
    registry.manifest("team/app", image.digest(), MANIFEST, other.manifest());
    byte[] index = bytes(index(entry(MANIFEST, image.digest(), image.manifest().length)));
    registry.manifest("team/app", "multi", INDEX, index);
    assertRefused("digest_mismatch", "team/app:multi");
    registry.manifest("team/app", image.digest(), MANIFEST, image.manifest());
    byte[] wrong = bytes(index(entry(MANIFEST, image.digest(), image.manifest().length - 1)));
    registry.manifest("team/app", "multi", INDEX, wrong);
    assertRefused("size_mismatch", "team/app:multi");
  }

  @Test
  void aContentDigestThatIsNotThatOfTheContent() {
    Image image = registry.push("team/app", "1", "etc/planted");
    for (String said : List.of(digest(bytes("another")), "sha256:../../x", "md5:00")) {
      registry.answer(
          "/v2/team/app/manifests/1",
          new Answer(
              200,
              Map.of("Content-Type", MANIFEST, "Docker-Content-Digest", said),
              image.manifest(),
              false));
      assertRefused(said.length() == 71 ? "digest_mismatch" : "invalid_digest", "team/app:1");
    }
  }

  @Test
  void aForeignBaseIsNotPlantedUnderAnotherImagesDigest() throws IOException {
    Image honest = registry.push("team/app", "1", "etc/honest");
    Image planted = registry.push("evil/app", "1", "etc/planted");
    registry.answer(
        "/v2/evil/app/manifests/1",
        new Answer(
            200,
            Map.of("Content-Type", MANIFEST, "Docker-Content-Digest", honest.digest()),
            planted.manifest(),
            false));
    registry.manifest("evil/app", honest.digest(), MANIFEST, planted.manifest());
    assertRefused("digest_mismatch", "evil/app:1");
    assertRefused("digest_mismatch", "evil/app@" + honest.digest());
    byte[] index = bytes(index(entry(MANIFEST, honest.digest(), planted.manifest().length)));
    registry.manifest("evil/app", "multi", INDEX, index);
    assertRefused("digest_mismatch", "evil/app:multi");
    assertMade(build(VICTIM, registry.host() + "/team/app@" + honest.digest(), ""), "etc/honest");
    assertThat(basesWith("etc/planted")).isEmpty();
  }

  @Test
  void aManifestThatChangesBetweenPlanAndPull() throws IOException {
    Image image = registry.push("team/app", "1", "etc/honest");
    Image other = registry.push("team/other", "1", "etc/planted");
    // Found by its tag, it is fetched by its digest.
    registry.manifest("team/app", image.digest(), MANIFEST, other.manifest());
    assertRefused("digest_mismatch", "team/app:1");
    registry.push("team/app", "1", "etc/honest");
    assertMade(build("team/app:1"), "etc/honest");
    assertThat(registry.asked)
        .anyMatch(asked -> asked.path().equals("/v2/team/app/manifests/" + image.digest()));
  }

  @Test
  void layersThatAreNotWhatTheManifestSays() {
    Image image = registry.push("team/app", "1", "etc/honest");
    byte[] layer = image.layer();
    byte[] swapped = LyingRegistry.layer("etc/planst");
    assertThat(swapped).hasSameSizeAs(layer);
    registry.blob("team/app", digest(layer), swapped);
    assertRefused("digest_mismatch", "team/app:1");
    registry.blob("team/app", digest(layer), Arrays.copyOf(layer, layer.length - 1));
    assertRefused("size_mismatch", "team/app:1");
    registry.blob("team/app", digest(layer), Arrays.copyOf(layer, layer.length + 1));
    assertRefused("size_mismatch", "team/app:1");
    registry.blob("team/app", digest(layer), Arrays.copyOf(layer, 64 << 20));
    assertRefused("size_mismatch", "team/app:1");
    registry.answer(
        "/v2/team/app/blobs/" + digest(layer),
        new Answer(200, Map.of(), Arrays.copyOf(layer, layer.length - 1), false));
    assertRefused("size_mismatch", "team/app:1");
  }

  @Test
  void aConfigurationThatIsNotWhatTheManifestSays() {
    Image image = registry.push("team/app", "1", "etc/honest");
    byte[] other = bytes("{\"os\": \"linux\", \"architecture\": \"amd64\", \"config\": []}");
    registry.blob("team/app", digest(image.config()), other);
    assertRefused("digest_mismatch", "team/app:1");
    byte[] arm = bytes("{\"os\": \"linux\", \"architecture\": \"arm64\", \"config\": {}}");
    registry.blob("team/app", digest(arm), arm);
    serve(manifest(descriptor(CONFIG, arm), descriptor(LAYER, image.layer())));
    assertRefused("wrong_platform", "team/app:1");
  }

  private void serve(String manifest) {
    registry.manifest("team/app", "1", MANIFEST, bytes(manifest));
    registry.manifest("team/app", digest(bytes(manifest)), MANIFEST, bytes(manifest));
  }

  @Test
  void moreThanMayBe() {
    Image image = registry.push("team/app", "1", "etc/honest");
    String config = descriptor(CONFIG, image.config());
    String layer = descriptor(LAYER, image.layer());
    serve(manifest(config, layer) + " ".repeat(4 << 20));
    assertRefused("too_large", "team/app:1");
    serve(manifest(config, Collections.nCopies(501, layer).toArray(String[]::new)));
    assertRefused("too_many_layers", "team/app:1");
    serve(manifest(config, descriptor(LAYER, digest(image.layer()), (1L << 20) + 1)));
    assertRefused("too_large", "team/app:1");
    serve(manifest(config, descriptor(LAYER, digest(image.layer()), Long.MAX_VALUE), layer));
    assertRefused("too_large", "team/app:1");
    serve(manifest(descriptor(CONFIG, digest(image.config()), 2 << 20), layer));
    assertRefused("too_large", "team/app:1");
    serve(manifest(config, descriptor(LAYER, digest(image.layer()), -1)));
    assertRefused("invalid_manifest", "team/app:1");
  }

  @Test
  void indexesInIndexesAndWhatCouldBeBoth() {
    Image image = registry.push("team/app", "1", "etc/honest");
    byte[] inner = bytes(index(entry(MANIFEST, image.digest(), image.manifest().length)));
    registry.manifest("team/app", digest(inner), INDEX, inner);
    byte[] outer = bytes(index(entry(INDEX, digest(inner), inner.length)));
    registry.manifest("team/app", "nested", INDEX, outer);
    assertRefused("wrong_media_type", "team/app:nested");
    byte[] disguised = bytes(index(entry(MANIFEST, digest(inner), inner.length)));
    registry.manifest("team/app", "nested", INDEX, disguised);
    assertRefused("invalid_manifest", "team/app:nested");
    serve(
        new String(image.manifest(), java.nio.charset.StandardCharsets.UTF_8)
            .replaceFirst("}$", ", \"manifests\": []}"));
    assertRefused("invalid_manifest", "team/app:1");
    registry.manifest("team/app", "1", INDEX, image.manifest());
    assertRefused("wrong_media_type", "team/app:1");
    registry.manifest("team/app", "1", "text/plain", image.manifest());
    assertRefused("wrong_media_type", "team/app:1");
    registry.manifest("team/app", "1", INDEX, bytes(index()));
    assertRefused("wrong_platform", "team/app:1");
    registry.manifest("team/app", "1", MANIFEST, bytes("[".repeat(100_000)));
    assertRefused("invalid_manifest", "team/app:1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"sha256:../../x", "UPPER", "md5:d41d8cd98f00b204e9800998ecf8427e"})
  void digestsThatAreNone(String text) {
    Image image = registry.push("team/app", "1", "etc/honest");
    String upper =
        "sha256:" + digest(image.layer()).substring(7).toUpperCase(java.util.Locale.ROOT);
    String digest = text.equals("UPPER") ? upper : text;
    String config = descriptor(CONFIG, image.config());
    serve(manifest(config, descriptor(LAYER, digest, image.layer().length)));
    assertRefused("invalid_digest", "team/app:1");
    serve(manifest(descriptor(CONFIG, digest, 10)));
    assertRefused("invalid_digest", "team/app:1");
    registry.manifest("team/app", "1", INDEX, bytes(index(entry(MANIFEST, digest, 10))));
    assertRefused("invalid_digest", "team/app:1");
  }

  @Test
  void aPrivateBaseIsOfNoUseToThoseWhoKnowItsDigest() throws IOException {
    Image image = registry.push("private/app", "1", "etc/private");
    registry.guard("private/app", BASIC, "Basic realm=\"tests\"");
    secret(VICTIM, registry.host());
    String name = registry.host() + "/private/app@" + image.digest();
    String auth = ", auth: {username: puller, secret: pull}";
    assertMade(build(VICTIM, name, auth), "etc/private");
    List<String> before = harness.folders("templates");

    ErrorBody unknown = failure(build(EngineHarness.PROJECT, name, ""));
    assertThat(unknown.code()).isEqualTo(ErrorCode.TEMPLATE_BUILD_FAILED);
    // Whoever has the manifest has not the layers.
    registry.manifest("copy/app", image.digest(), MANIFEST, image.manifest());
    registry.blob("copy/app", digest(image.config()), image.config());
    assertThat(failure(build("copy/app@" + image.digest())).message()).contains("404");
    // Nor does a password of another project's help with a registry that takes any.
    secret(EngineHarness.PROJECT, registry.host());
    String copy = registry.host() + "/copy/app@" + image.digest();
    assertThat(failure(build(EngineHarness.PROJECT, copy, auth)).message()).contains("404");
    assertThat(harness.folders("templates")).isEqualTo(before);

    // Whoever may read it has a base of his own.
    assertMade(build(EngineHarness.PROJECT, name, auth), "etc/private");
    assertThat(basesWith("etc/private")).hasSize(2);
  }

  @Test
  void credentialsDoNotGoAlongWithRedirects() throws IOException {
    Image image = registry.push("private/app", "1", "etc/private");
    registry.guard("private/app", BASIC, "Basic realm=\"tests\"");
    secret(VICTIM, registry.host());
    for (byte[] blob : List.of(image.config(), image.layer())) {
      String path = "/v2/private/app/blobs/" + digest(blob);
      String there = "http://" + elsewhere.host() + "/store/" + digest(blob);
      registry.answer(path, new Answer(307, Map.of("Location", there), new byte[0], false));
      elsewhere.answer("/store/" + digest(blob), new Answer(200, Map.of(), blob, false));
    }
    String auth = ", auth: {username: puller, secret: pull}";
    assertMade(build(VICTIM, registry.host() + "/private/app:1", auth), "etc/private");
    assertThat(elsewhere.asked).isNotEmpty().allMatch(asked -> asked.authorization() == null);
    assertThat(registry.asked).anyMatch(asked -> BASIC.equals(asked.authorization()));
  }

  @Test
  void aRegistryCannotHaveThePasswordSentElsewhere() throws IOException {
    registry.push("private/app", "1", "etc/private");
    String realm = "http://" + elsewhere.host() + "/token";
    registry.guard(
        "private/app",
        "Bearer given",
        "Bearer realm=\"%s\",service=\"s\",scope=\"repository:other/app:push,pull\""
            .formatted(realm));
    elsewhere.json("/token", "{\"token\": \"given\"}");
    String name = registry.host() + "/private/app:1";
    String auth = ", auth: {username: puller, secret: pull}";
    secret(VICTIM, registry.host());
    assertThat(failure(build(VICTIM, name, auth)).message())
        .contains("not bound to")
        .contains(elsewhere.host())
        .doesNotContain("long enough");
    assertThat(elsewhere.asked).isEmpty();

    secret(VICTIM, registry.host(), "http://" + elsewhere.host());
    assertMade(build(VICTIM, name, auth), "etc/private");
    assertThat(elsewhere.asked)
        .isNotEmpty()
        .allMatch(asked -> BASIC.equals(asked.authorization()))
        .allMatch(asked -> "service=s&scope=repository:private/app:pull".equals(asked.query()));
    assertThat(registry.asked)
        .allMatch(
            asked -> asked.authorization() == null || asked.authorization().contains("given"));
  }
}
