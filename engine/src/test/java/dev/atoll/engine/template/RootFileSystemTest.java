package dev.atoll.engine.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RootFileSystemTest {
  @TempDir Path folder;

  private static Recipe recipe(List<Recipe.RecipeFile> files) {
    return new Recipe(
        "t",
        null,
        "trixie",
        List.of(),
        List.of(),
        "sandbox",
        false,
        Map.of("PATH", "/bin"),
        files,
        Map.of("python", "/usr/bin/python3"),
        Map.of(),
        "python",
        List.of(),
        List.of());
  }

  @Test
  void aSharedBaseIsNeverChanged() throws IOException {
    Path base = Files.createDirectories(folder.resolve("base/etc"));
    Path original = Files.writeString(base.resolve("passwd"), "root:x:0:0::/root:/bin/sh\n");
    Path root = Files.createDirectories(folder.resolve("root/etc"));
    Files.createLink(root.resolve("passwd"), original);
    new RootFileSystem(folder.resolve("root"))
        .finish(
            recipe(List.of(new Recipe.RecipeFile("/etc/passwd-copy", "x", "0600"))),
            Map.of("/opt/atoll/agent", "agent".getBytes(StandardCharsets.UTF_8)));
    assertThat(Files.readString(original)).doesNotContain("sandbox");
    assertThat(Files.readString(root.resolve("passwd"))).contains("sandbox:x:1000:1000");
    assertThat(Files.isExecutable(folder.resolve("root/opt/atoll/agent"))).isTrue();
    assertThat(Files.readString(folder.resolve("root/etc/atoll/agent.conf")))
        .contains("user=sandbox", "kernel.python=/usr/bin/python3", "spare=python", "path=/bin");
  }

  @Test
  void aSymbolicLinkDoesNotLeadOut() throws IOException {
    Path root = Files.createDirectories(folder.resolve("root"));
    Path outside = Files.createDirectories(folder.resolve("outside"));
    Files.createSymbolicLink(root.resolve("opt"), outside);
    assertThatThrownBy(
            () ->
                new RootFileSystem(root)
                    .finish(recipe(List.of()), Map.of("/opt/atoll/agent", new byte[0])))
        .isInstanceOf(IOException.class);
    assertThat(outside).isEmptyDirectory();
  }
}
