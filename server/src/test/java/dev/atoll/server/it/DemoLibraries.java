package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.tools.ToolProvider;

/**
 * A small repository of Java libraries: {@code reef:demo} 1.0 and 2.0 say hello by {@code
 * reef:words}, of which nobody speaks; {@code reef:bad} is not what its checksum says; {@code
 * reef:parent} is a parent of projects.
 */
final class DemoLibraries {
  private static final String WORDS =
      """
      package reef.words;
      public class Words { public static String hello() { return "hello from maven"; } }
      """;
  private static final String DEMO =
      """
      package reef.demo;
      public class Demo {
        public static String greet(String name) { return reef.words.Words.hello() + " to " + name; }
      }
      """;

  private final LocalInternet internet;
  private final String base;

  private DemoLibraries(LocalInternet internet, String base) {
    this.internet = internet;
    this.base = base;
  }

  /**
   * Puts them on the local internet.
   *
   * @param base where the repository begins, with a slash at both ends
   * @param folder to work in
   */
  static void serve(LocalInternet internet, String base, Path folder) throws IOException {
    DemoLibraries all = new DemoLibraries(internet, base);
    Path classes = Files.createDirectories(folder.resolve("classes"));
    all.compile(folder, classes, "Words", WORDS);
    byte[] words = jar(classes);
    all.compile(folder, classes, "Demo", DEMO);
    byte[] demo = jar(classes.resolve("reef/demo"), "reef/demo/");
    all.library("words", "1.0", "", words);
    for (String version : List.of("1.0", "2.0")) {
      all.library("demo", version, dependency("words"), demo);
    }
    all.library("bad", "1.0", "", demo);
    internet.page(base + "reef/bad/1.0/bad-1.0.jar.sha1", "0123456789".repeat(4));
    String metadata =
        "<metadata><groupId>reef</groupId><artifactId>demo</artifactId><versioning><versions><version>1.0</version><version>2.0</version></versions></versioning></metadata>";
    internet.page(base + "reef/demo/maven-metadata.xml", metadata);
    all.file("reef/parent/1.0/parent-1.0.pom", pom("parent", "1.0", "<packaging>pom</packaging>"));
  }

  private void compile(Path folder, Path classes, String name, String code) throws IOException {
    Path source = Files.writeString(folder.resolve(name + ".java"), code);
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-cp",
                classes.toString(),
                "-d",
                classes.toString(),
                source.toString());
    assertThat(status).isZero();
  }

  private static byte[] jar(Path classes) throws IOException {
    return jar(classes, "");
  }

  private static byte[] jar(Path classes, String prefix) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes);
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        zip.putNextEntry(new ZipEntry(prefix + classes.relativize(file)));
        zip.write(Files.readAllBytes(file));
        zip.closeEntry();
      }
    }
    return bytes.toByteArray();
  }

  private static String dependency(String name) {
    return "<dependencies><dependency><groupId>reef</groupId><artifactId>%s</artifactId><version>1.0</version></dependency></dependencies>"
        .formatted(name);
  }

  private static byte[] pom(String name, String version, String more) {
    return "<project><modelVersion>4.0.0</modelVersion><groupId>reef</groupId><artifactId>%s</artifactId><version>%s</version>%s</project>"
        .formatted(name, version, more)
        .getBytes(StandardCharsets.UTF_8);
  }

  private void library(String name, String version, String needs, byte[] jar) {
    String file = "reef/%s/%s/%s-%s".formatted(name, version, name, version);
    file(file + ".pom", pom(name, version, needs));
    file(file + ".jar", jar);
  }

  private void file(String path, byte[] content) {
    internet.page(base + path, content);
    internet.page(base + path + ".sha1", sha1(content));
  }

  private static String sha1(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
