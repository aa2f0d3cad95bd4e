package dev.atoll.supply;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code ./mvnw} uses nothing but what the lock of checksums names. What is tried lies in a
 * throw-away repository in front of the one that this build uses; nothing is fetched.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class LockIT {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path REPOSITORY = Path.of(System.getProperty("localRepository"));
  private static final Path DEPENDENCY = locked("org/jspecify/jspecify/");
  private static final Path PLUGIN = locked("org/apache/maven/plugins/maven-compiler-plugin/");

  @TempDir Path folder;
  private String said = "";

  /** The jar of an artifact in the lock. */
  private static Path locked(String artifact) {
    try (Stream<String> lines = Files.lines(ROOT.resolve(".mvn/checksums.sha256"))) {
      return lines
          .map(line -> line.substring(66))
          .filter(path -> path.startsWith(artifact) && path.endsWith(".jar"))
          .map(Path::of)
          .findFirst()
          .orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String version(Path jar) {
    return jar.getName(jar.getNameCount() - 2).toString();
  }

  private int build(String group, String artifact, String... more) throws Exception {
    String project =
        """
        <project xmlns="http://maven.apache.org/POM/4.0.0">
          <modelVersion>4.0.0</modelVersion>
          <groupId>test</groupId><artifactId>locked</artifactId><version>1</version>
          <dependencies><dependency>
            <groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version>
          </dependency></dependencies>
        </project>
        """
            .formatted(group, artifact, version(DEPENDENCY));
    Path pom = Files.writeString(folder.resolve("pom.xml"), project);
    List<String> command = new ArrayList<>();
    Collections.addAll(
        command,
        ROOT.resolve("mvnw").toString(),
        "-B",
        "-o",
        "-f",
        pom.toString(),
        "-Dmaven.repo.local=" + folder.resolve("repository"),
        "-Dmaven.repo.local.tail=" + REPOSITORY);
    Collections.addAll(command, more);
    // There is nothing to compile, but what a compiler would want is resolved.
    command.add("org.apache.maven.plugins:maven-compiler-plugin:" + version(PLUGIN) + ":compile");
    Process maven = new ProcessBuilder(command).redirectErrorStream(true).start();
    maven.getOutputStream().close();
    said = new String(maven.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return maven.waitFor();
  }

  /** A copy in the throw-away repository, with something at its end that jars may have there. */
  private void tamper(Path jar) throws IOException {
    Path copy = folder.resolve("repository").resolve(jar);
    Files.createDirectories(copy.getParent());
    Files.copy(REPOSITORY.resolve(jar), copy);
    Files.writeString(copy, "more", StandardOpenOption.APPEND);
    String pom = jar.getFileName().toString().replace(".jar", ".pom");
    Files.copy(REPOSITORY.resolve(jar).resolveSibling(pom), copy.resolveSibling(pom));
  }

  @Test
  void whatTheLockNamesIsUsed() throws Exception {
    assertThat(build("org.jspecify", "jspecify")).as(said).isZero();
  }

  @Test
  void aDependencyWithOtherBytesIsNotUsed() throws Exception {
    tamper(DEPENDENCY);
    assertThat(build("org.jspecify", "jspecify")).isNotZero();
    assertThat(said).containsPattern("org.jspecify:jspecify:jar:[0-9.]+ has the SHA-256");
  }

  @Test
  void aPluginWithOtherBytesIsNotRun() throws Exception {
    tamper(PLUGIN);
    assertThat(build("org.jspecify", "jspecify")).isNotZero();
    assertThat(said).containsPattern("maven-compiler-plugin:jar:[0-9.]+ has the SHA-256");
  }

  @Test
  void whatIsNotInTheLockIsNotUsed() throws Exception {
    String version = version(DEPENDENCY);
    Path stranger = folder.resolve("repository/test/stranger").resolve(version);
    Files.createDirectories(stranger);
    Files.copy(REPOSITORY.resolve(DEPENDENCY), stranger.resolve("stranger-" + version + ".jar"));
    assertThat(build("test", "stranger")).isNotZero();
    assertThat(said).containsPattern("test:stranger:jar:[0-9.]+ is not in");
  }

  @Test
  void withoutALockThereIsNoBuild() throws Exception {
    assertThat(build("org.jspecify", "jspecify", "-Datoll.lock=" + folder.resolve("none")))
        .isNotZero();
    assertThat(said).contains("ArtifactLock");
  }
}
