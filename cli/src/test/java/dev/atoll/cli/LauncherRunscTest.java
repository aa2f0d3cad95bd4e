package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the launcher comes by runsc, with a Go that writes a script instead of compiling. */
class LauncherRunscTest {
  private static final String PINNED = "20260905";
  private static final String BUILT = script(PINNED);

  @TempDir private Path folder;
  private Path root;
  private Path tools;

  @BeforeEach
  void prepare() throws Exception {
    root = folder.resolve("checkout");
    tools = Files.createDirectories(folder.resolve("tools"));
    Files.createDirectories(folder.resolve("home/logs"));
    Files.createDirectories(folder.resolve("bin"));
    copy(Path.of("../launcher"), root.resolve("launcher"));
    pinDigestOf(BUILT);
    program(tools.resolve("runsc"), script("0.0~20240729.0"));
    program(
        folder.resolve("bin/go"),
        """
        #!/bin/bash
        if [[ $1 == env ]]; then echo go1.26.8; exit; fi
        if [[ $1 == run ]]; then exit; fi # makes a source file
        echo build >>%1$s/builds
        [[ ! -e %1$s/slow ]] || { echo $$ >%1$s/slow; sleep 600; }
        while (($# > 0)); do if [[ $1 == -o ]]; then cp %1$s/output "$2"; fi; shift; done
        """
            .formatted(folder));
    Files.writeString(folder.resolve("output"), BUILT);
  }

  private static String script(String version) {
    return "#!/bin/sh\necho runsc version " + version + "\n";
  }

  private static void program(Path place, String text) throws IOException {
    Files.writeString(place, text);
    Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private void pinDigestOf(String text) throws Exception {
    Files.writeString(root.resolve("launcher/runsc/x86_64.sha256"), digestOf(text) + "  runsc\n");
  }

  private static String digestOf(String text) throws Exception {
    return HexFormat.of()
        .formatHex(
            MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path path : all.toList()) {
        Path target = to.resolve(from.relativize(path).toString());
        if (Files.isDirectory(path)) {
          Files.createDirectories(target);
        } else {
          Files.copy(path, target);
        }
      }
    }
  }

  private Process launch(Map<String, String> variables) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
                "bash",
                "-c",
                """
                set -euo pipefail
                STATE=$ATOLL_HOME
                for part in say debian runsc; do source "$ATOLL_ROOT/launcher/$part.sh"; done
                trap clean_up EXIT
                trap 'interrupted 143' TERM
                find_or_begin_runsc
                await_runsc
                echo "$RESOLVED_RUNSC"
                """)
            .redirectErrorStream(true);
    builder.environment().remove("ATOLL_RUNSC");
    builder
        .environment()
        .putAll(
            Map.of(
                "ATOLL_ROOT", root.toString(),
                "ATOLL_HOME", folder.resolve("home").toString(),
                "ATOLL_TOOLS", tools.toString(),
                "PATH", folder.resolve("bin") + ":/usr/bin:/bin"));
    builder.environment().putAll(variables);
    return builder.start();
  }

  private static String said(Process launcher) throws Exception {
    String said = new String(launcher.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(launcher.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return said;
  }

  private List<String> inTools() throws IOException {
    try (Stream<Path> entries = Files.list(tools)) {
      return entries.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }

  private Path pinned() throws Exception {
    return tools.resolve(folderOf(BUILT) + "/runsc");
  }

  /** Named by the digest too: what is built of one release may change. */
  private static String folderOf(String program) throws Exception {
    return "runsc-" + PINNED + "-" + digestOf(program).substring(0, 12);
  }

  @Test
  void itIsBuiltOnceAndLeavesNothingElse() throws Exception {
    assertThat(said(launch(Map.of()))).endsWith(pinned() + "\n");
    assertThat(said(launch(Map.of()))).isEqualTo(pinned() + "\n");

    assertThat(folder.resolve("builds")).hasContent("build");
    assertThat(inTools()).containsExactly(".runsc.lock", "runsc", folderOf(BUILT));
    assertThat(Files.getPosixFilePermissions(pinned()))
        .isEqualTo(PosixFilePermissions.fromString("r-xr-xr-x"));
  }

  @Test
  void anotherBuildOfTheSameReleaseTakesItsPlace() throws Exception {
    said(launch(Map.of()));
    String changed = BUILT + "# changed\n";
    Files.writeString(folder.resolve("output"), changed);
    pinDigestOf(changed);

    assertThat(said(launch(Map.of()))).endsWith(folderOf(changed) + "/runsc\n");
    assertThat(inTools()).containsExactly(".runsc.lock", "runsc", folderOf(changed));
  }

  @Test
  void twoLaunchersAtOnceBuildItOnce() throws Exception {
    Process one = launch(Map.of());
    Process other = launch(Map.of());

    assertThat(said(one)).endsWith(pinned() + "\n");
    assertThat(said(other)).endsWith(pinned() + "\n");
    assertThat(folder.resolve("builds")).hasContent("build");
  }

  @Test
  void anotherProgramThanThePinnedOneIsRefused() throws Exception {
    Files.writeString(folder.resolve("output"), BUILT + "# and a gift\n");

    assertThat(said(launch(Map.of())))
        .contains("could not be built", "using the older")
        .endsWith(tools.resolve("runsc") + "\n");
    assertThat(inTools()).containsExactly(".runsc.lock", "runsc");
  }

  @Test
  void anInterruptedBuildLeavesNothingAndNobody() throws Exception {
    Path slow = Files.createFile(folder.resolve("slow"));
    Process launcher = launch(Map.of());
    while (Files.readString(slow).isBlank()) {
      assertThat(launcher.isAlive()).isTrue();
      Thread.sleep(20);
    }
    long go = Long.parseLong(Files.readString(slow).strip());
    launcher.toHandle().destroy();
    said(launcher);

    assertThat(launcher.exitValue()).isEqualTo(143);
    assertThat(ProcessHandle.of(go).filter(ProcessHandle::isAlive)).isEmpty();
    assertThat(inTools()).containsExactly(".runsc.lock", "runsc");
  }

  @Test
  void theOneOfTheEnvironmentWinsOrIsRefused() throws Exception {
    Path given = tools.resolve("runsc");
    assertThat(said(launch(Map.of("ATOLL_RUNSC", given.toString())))).isEqualTo(given + "\n");

    program(folder.resolve("ancient"), script("release-20200101.0"));
    Process refused = launch(Map.of("ATOLL_RUNSC", folder.resolve("ancient").toString()));
    assertThat(said(refused)).contains("at least 20240729");
    assertThat(refused.exitValue()).isEqualTo(1);
  }

  @Test
  void theOneOnThePathWinsOnlyIfItIsNotOlder() throws Exception {
    Path found = folder.resolve("bin/runsc");
    program(found, script("release-20260101.0"));
    assertThat(said(launch(Map.of()))).contains("passing over").endsWith(pinned() + "\n");

    Files.move(pinned().getParent(), folder.resolve("away"));
    program(found, script("release-20270101.0"));
    assertThat(said(launch(Map.of()))).isEqualTo(found + "\n");
  }

  @Test
  void whatWasBuiltForAnEarlierPinGoes() throws Exception {
    Files.createDirectories(tools.resolve("runsc-20250101"));
    said(launch(Map.of()));

    assertThat(inTools()).containsExactly(".runsc.lock", "runsc", folderOf(BUILT));
  }
}
