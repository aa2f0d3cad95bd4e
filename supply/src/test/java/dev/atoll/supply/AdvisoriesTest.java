package dev.atoll.supply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.supply.Component.Ecosystem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

/** From an SBOM and a database to findings, without a network. */
final class AdvisoriesTest {
  private static final String ADVISORY =
      """
      {"id": "%s", "summary": "it leaks", "affected": [{"package": {"ecosystem": "%s", "name": "%s"},
       "ranges": [{"type": "ECOSYSTEM", "events": [%s]}], "versions": [%s]}]}
      """;
  private static final String FROM_START =
      "{\"introduced\": \"0\"}, {\"fixed\": \"1.5\"}, {\"introduced\": \"2.0\"}, {\"fixed\": \"2.3\"}";

  @TempDir Path folder;
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private Path sbom = Path.of("");

  @BeforeEach
  void write() throws IOException {
    sbom = folder.resolve("sbom.json");
    sbom("2.2");
    database("Maven", "MAVEN-1", "org.example:parser", FROM_START, "");
    database("Go", "GO-1", "example.org/module", "{\"introduced\": \"9.0.0\"}", "");
    database("Debian", "DEB-1", "musl", "{\"introduced\": \"0\"}, {\"fixed\": \"1.2.3-1\"}", "");
  }

  private void sbom(String version) throws IOException {
    List<Component> parts =
        List.of(
            new Component(Ecosystem.MAVEN, "org.example", "parser", version, null, "server"),
            new Component(Ecosystem.GO, "", "example.org/module", "v1.0.0", null, "runsc"),
            new Component(Ecosystem.DEBIAN, "", "musl", "1.2.3-1", null, "agent"));
    Files.write(sbom, new JsonMapper().writeValueAsBytes(Sbom.document(parts)));
  }

  private void database(String ecosystem, String id, String name, String events, String versions)
      throws IOException {
    zip(ecosystem, ADVISORY.formatted(id, ecosystem, name, events, versions));
  }

  private Path zip(String ecosystem, String advisory) throws IOException {
    Path file = Files.createDirectories(folder.resolve("db/" + ecosystem)).resolve("all.zip");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
      if (!advisory.isEmpty()) {
        zip.putNextEntry(new ZipEntry("one.json"));
        zip.write(advisory.getBytes(StandardCharsets.UTF_8));
      }
    }
    return file;
  }

  private int run() {
    PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
    return Advisories.run(out, out, sbom.toString(), folder.resolve("db").toString());
  }

  @ParameterizedTest
  @CsvSource({"1.0, 1", "1.4.9, 1", "1.5, 0", "1.9, 0", "2.0, 1", "2.2, 1", "2.3, 0", "3, 0"})
  void aVersionIsFoundBetweenWhereTheFlawCameAndWhereItWasMended(String version, int code)
      throws IOException {
    sbom(version);
    assertThat(run()).as(said.toString(StandardCharsets.UTF_8)).isEqualTo(code);
  }

  @Test
  void aFindingSaysWhatAndWhere() {
    assertThat(run()).isEqualTo(1);
    assertThat(said.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            """
            MAVEN-1  pkg:maven/org.example/parser@2.2  it leaks
            3 parts, 1 findings
            """);
  }

  @ParameterizedTest
  @CsvSource({"2.2, 1", "2.1, 0"})
  void versionsAreAlsoListedOneByOne(String listed, int code) throws IOException {
    database(
        "Maven", "MAVEN-2", "org.example:parser", "{\"introduced\": \"9\"}", '"' + listed + '"');
    assertThat(run()).isEqualTo(code);
  }

  @ParameterizedTest
  @CsvSource({"2.2, 1", "2.1, 0"})
  void theLastVersionThatIsAffectedIsAffected(String last, int code) throws IOException {
    String events = "{\"introduced\": \"0\"}, {\"last_affected\": \"" + last + "\"}";
    database("Maven", "MAVEN-3", "org.example:parser", events, "");
    assertThat(run()).isEqualTo(code);
  }

  @Test
  void otherPartsAndAdvisoriesThatWereTakenBackAreNoFindings() throws IOException {
    database("Maven", "MAVEN-4", "org.example:other", FROM_START, "");
    assertThat(run()).isZero();
    String advisory = ADVISORY.formatted("MAVEN-5", "Maven", "org.example:parser", FROM_START, "");
    zip("Maven", advisory.replaceFirst("\\{", "{\"withdrawn\": \"2026-01-01T00:00:00Z\", "));
    assertThat(run()).isZero();
  }

  @Test
  void debianAndGoAreLookedUpToo() throws IOException {
    database("Maven", "MAVEN-6", "org.example:other", FROM_START, "");
    database("Go", "GO-2", "example.org/module", "{\"introduced\": \"0\"}", "");
    zip("Debian", ADVISORY.formatted("DEB-2", "Debian:13", "musl", "{\"introduced\": \"0\"}", ""));
    assertThat(run()).isEqualTo(1);
    assertThat(said.toString(StandardCharsets.UTF_8))
        .contains("GO-2  pkg:golang/example.org/module@v1.0.0", "DEB-2  pkg:deb/debian/musl@");
  }

  @Test
  void withoutADatabaseNothingIsTold() throws IOException {
    Files.delete(folder.resolve("db/Go/all.zip"));
    assertThat(run()).isEqualTo(2);
    assertThat(said.toString(StandardCharsets.UTF_8)).contains("all.zip is not there");
  }

  @Test
  void anOldDatabaseTellsNothing() throws IOException {
    Instant old = Instant.now().minus(Duration.ofDays(8));
    Files.setLastModifiedTime(folder.resolve("db/Debian/all.zip"), FileTime.from(old));
    assertThat(run()).isEqualTo(2);
    assertThat(said.toString(StandardCharsets.UTF_8)).contains("8 days old, at most 7");
  }

  @Test
  void anEmptyOrDamagedDatabaseTellsNothing() throws IOException {
    Path file = zip("Maven", "");
    assertThat(run()).isEqualTo(2);
    zip("Maven", "{\"id\": ");
    assertThat(run()).isEqualTo(2);
    Files.writeString(file, "no zip");
    assertThat(run()).isEqualTo(2);
  }

  @Test
  void anSbomWithoutPartsTellsNothing() throws IOException {
    Files.writeString(sbom, "{\"bomFormat\": \"CycloneDX\", \"components\": []}");
    assertThat(run()).isEqualTo(2);
    Files.writeString(sbom, "{}");
    assertThat(run()).isEqualTo(2);
  }
}
