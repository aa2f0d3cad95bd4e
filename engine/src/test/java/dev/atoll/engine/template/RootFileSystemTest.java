package dev.atoll.engine.template;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RootFileSystemTest {
  @TempDir Path folder;

  private static Recipe recipe(String more) {
    String text =
        "{name: t, suite: trixie, env: {PATH: /bin}, kernels: {python: /usr/bin/python3},"
            + " spare: python"
            + more
            + "}";
    return RecipeReader.read("test", text.getBytes(StandardCharsets.UTF_8));
  }

  private Path root() {
    return folder.resolve("root");
  }

  @Test
  void aSharedBaseIsNeverChanged() throws IOException {
    Path base = Files.createDirectories(folder.resolve("base/etc"));
    Path original = Files.writeString(base.resolve("passwd"), "root:x:0:0::/root:/bin/sh\n");
    Path root = Files.createDirectories(folder.resolve("root/etc"));
    Files.createLink(root.resolve("passwd"), original);
    Recipe recipe = recipe(", files: [{path: /etc/passwd-copy, content: x, mode: '0600'}]");
    new RootFileSystem(root()).prepare(recipe);
    new RootFileSystem(root()).finish(recipe);
    assertThat(root.resolve("passwd-copy")).hasContent("x");
    assertThat(Files.readString(original)).doesNotContain("sandbox");
    assertThat(Files.readString(root.resolve("passwd"))).contains("sandbox:x:1000:1000");
    assertThat(Files.isExecutable(folder.resolve("root/opt/atoll/agent"))).isTrue();
    assertThat(Files.readString(folder.resolve("root/etc/atoll/agent.conf")))
        .contains("user=sandbox", "kernel.python=/usr/bin/python3", "spare=python", "path=/bin");
  }

  /** uv reads nothing of pip's settings. */
  @Test
  void pipAndUvAskTheCache() throws IOException {
    Files.createDirectories(root().resolve("etc"));
    new RootFileSystem(root()).prepare(recipe(""));
    new RootFileSystem(root()).finish(recipe(""));
    String index = "http://packages.atoll.internal/pip/simple/";
    assertThat(root().resolve("etc/xdg/pip/pip.conf")).content().contains("index-url = " + index);
    assertThat(root().resolve("etc/xdg/uv/uv.toml"))
        .hasContent("[[index]]\nurl = \"" + index + "\"\ndefault = true\n");
  }

  /** As Maven comes: an example in a comment, and a mirror against repositories without TLS. */
  @Test
  void mavenAsksTheCacheForTheCentralRepositoryAfterAllElseThatItsSettingsSay() throws IOException {
    Files.createDirectories(root().resolve("etc"));
    Path settings =
        Files.createDirectories(root().resolve("usr/local/lib/maven/conf")).resolve("settings.xml");
    Files.writeString(
        settings,
        "<settings><mirrors><mirror>theirs</mirror><!-- or </mirrors> --></mirrors></settings>");
    new RootFileSystem(root()).prepare(recipe(""));
    new RootFileSystem(root()).finish(recipe(""));
    assertThat(settings)
        .content()
        .startsWith("<settings><mirrors><mirror>theirs</mirror><!-- or </mirrors> -->")
        .containsOnlyOnce("<url>http://packages.atoll.internal/maven/</url>")
        .contains("<mirrorOf>central,central</mirrorOf>")
        .endsWith("</mirrors></settings>");
    String once = Files.readString(settings);
    new RootFileSystem(root()).prepare(recipe(""));
    assertThat(settings).hasContent(once);
  }

  @Test
  void mavenInAFolderOfItsOwnAsksTheCacheTooWhateverItsSettingsHave() throws IOException {
    Files.createDirectories(root().resolve("etc"));
    Path some = Files.createDirectories(root().resolve("opt/some-maven/conf"));
    Files.writeString(some.resolve("settings.xml"), "<settings></settings>");
    Path other = Files.createDirectories(root().resolve("usr/share/maven/conf"));
    new RootFileSystem(root()).prepare(recipe(""));
    assertThat(some.resolve("settings.xml"))
        .content()
        .containsSubsequence(
            "<settings>", "<mirrors>", "/maven/</url>", "</mirrors>", "</settings>");
    assertThat(other.resolve("settings.xml"))
        .content()
        .contains("maven-default-http-blocker", "/maven/</url>");
  }

  @Test
  void gradleAsksTheCacheAlsoOneThatDebianBringsLater() throws IOException {
    Files.createDirectories(root().resolve("etc"));
    new RootFileSystem(root()).prepare(recipe(""));
    assertThat(root().resolve("usr/share/gradle")).doesNotExist();
    Files.createDirectories(root().resolve("usr/lib/jvm"));
    Files.createDirectories(root().resolve("opt/gradle-9/init.d"));
    new RootFileSystem(root()).prepare(recipe(""));
    for (String home : List.of("usr/share/gradle", "opt/gradle-9")) {
      assertThat(root().resolve(home + "/init.d/atoll.gradle"))
          .content()
          .contains("http://packages.atoll.internal/maven/");
    }
  }

  /** Of several lines Go takes the first, and what Go brings along has to be found there. */
  @Test
  void goAndCargoAskTheCache() throws IOException {
    Files.createDirectories(root().resolve("etc"));
    Path go = Files.createDirectories(root().resolve("usr/lib/go-1.24"));
    Files.writeString(go.resolve("go.env"), "# Go's own\nGOPROXY=https://own.test,direct\n");
    new RootFileSystem(root()).prepare(recipe(""));
    new RootFileSystem(root()).prepare(recipe(""));
    assertThat(go.resolve("go.env"))
        .hasContent(
            """
            GOPROXY=http://packages.atoll.internal/go,direct
            # Go's own
            GOPROXY=https://own.test,direct
            """);
    assertThat(root().resolve(".cargo/config.toml"))
        .content()
        .contains("replace-with", "\"sparse+http://packages.atoll.internal/cargo/\"");
  }

  /** Neither reads what is in npm's own folder. */
  @Test
  void yarnAsksTheCacheWhereThereIsANode() throws IOException {
    Path node = Files.createDirectories(root().resolve("usr/local/lib/nodejs/bin"));
    Files.createDirectories(root().resolve("etc"));
    Files.writeString(node.resolve("node"), "a program");
    new RootFileSystem(root()).prepare(recipe(""));
    new RootFileSystem(root()).finish(recipe(""));
    assertThat(node.resolve("../etc/npmrc"))
        .hasContent("registry=http://packages.atoll.internal/npm/\n");
    assertThat(root().resolve(".yarnrc.yml"))
        .content()
        .contains("http://packages.atoll.internal/npm", "unsafeHttpWhitelist");
    assertThat(root().resolve("usr/etc")).doesNotExist();
  }

  @Test
  void aSymbolicLinkDoesNotLeadOut() throws IOException {
    Path root = Files.createDirectories(folder.resolve("root"));
    Path outside = Files.createDirectories(folder.resolve("outside"));
    Files.createSymbolicLink(root.resolve("opt"), outside);
    new RootFileSystem(root).finish(recipe(""));
    assertThat(outside).isEmptyDirectory();
    assertThat(root.resolve("./" + outside).resolve("atoll/agent")).exists();
  }

  @Test
  void filesOfAStrangerAreNotFollowed() throws IOException {
    Path secret = Files.writeString(folder.resolve("secret"), "host:x:0:0::/:/bin/sh\n");
    Path etc = Files.createDirectories(root().resolve("etc"));
    Files.createSymbolicLink(etc.resolve("passwd"), secret);
    Files.createSymbolicLink(etc.resolve("java-21"), folder);
    Files.writeString(folder.resolve("net.properties"), "of the host");
    new RootFileSystem(root()).prepare(recipe(""));
    assertThat(secret).hasContent("host:x:0:0::/:/bin/sh\n");
    assertThat(etc.resolve("passwd")).content().doesNotContain("host").contains("sandbox");
    assertThat(folder.resolve("net.properties")).hasContent("of the host");
  }

  @Test
  void aUserOfTheRootKeepsItsNumber() throws IOException {
    Path etc = Files.createDirectories(root().resolve("etc"));
    Files.writeString(etc.resolve("passwd"), "worker:x:1234:1234::/srv:/bin/sh\n");
    new RootFileSystem(root()).prepare(recipe(", user: worker"));
    assertThat(etc.resolve("passwd")).hasContent("worker:x:1234:1234::/srv:/bin/sh\n");
  }

  @Test
  void setupRunsAsRootAndWithoutKernels() throws IOException {
    Files.createDirectories(root().resolve("etc"));
    new RootFileSystem(root()).prepareForSetup(recipe(", start: [x], directory: /srv"));
    Path conf = root().resolve("etc/atoll/agent.conf");
    assertThat(conf).content().contains("allow-root=true").doesNotContain("kernel.", "start=");
    new RootFileSystem(root()).finish(recipe(", start: [x], directory: /srv"));
    assertThat(conf).content().contains("allow-root=false", "start=x", "directory=/srv");
  }

  @Test
  void aHomeThatIsALinkDoesNotChangeWhatItLeadsTo() throws IOException {
    Path victim = Files.createDirectory(folder.resolve("victim"));
    String before = state(victim);
    Files.createDirectories(root().resolve("etc"));
    Path home = Files.createDirectories(root().resolve("home"));
    Files.createSymbolicLink(home.resolve("sandbox"), victim);
    new RootFileSystem(root()).prepare(recipe(""));
    assertThat(state(victim)).isEqualTo(before);
    assertThat(home.resolve("sandbox")).isDirectory();
    assertThat(Files.isSymbolicLink(home.resolve("sandbox"))).isFalse();
  }

  private static String state(Path file) throws IOException {
    return Files.readAttributes(file, "unix:mode,uid,gid,lastModifiedTime").toString();
  }
}
