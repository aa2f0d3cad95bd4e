package dev.atoll.engine.template;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.engine.image.Unpacker;
import dev.atoll.engine.jail.Jailer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArchivesTest {
  /** Base64 of 64 zero bytes, which the folder below is named after. */
  private static final String INTEGRITY = "sha512-" + "A".repeat(86) + "==";

  private static final String FOLDER = "archive-0000000000000000";

  @TempDir Path folder;

  private RecipeArchive archive(String to, Map<String, String> links) {
    return new RecipeArchive("thing", null, "1.0.0", INTEGRITY, to, links);
  }

  private Path content() throws IOException {
    Path content = Files.createDirectories(folder.resolve(FOLDER + "/bin"));
    return Files.writeString(content.resolve("thing"), "program");
  }

  @Test
  void whatIsUnpackedAlreadyIsLinkedIntoTheRoot() throws IOException {
    Path original = content();
    Path root = Files.createDirectory(folder.resolve("root"));
    new Archives(folder, new Unpacker(Jailer.install(folder)))
        .add(
            archive(
                "/usr/local/lib/thing", Map.of("/usr/local/bin/thing", "../lib/thing/bin/thing")),
            new RootFileSystem(root),
            folder,
            line -> {});
    Path linked = root.resolve("usr/local/bin/thing");
    assertThat(Files.readSymbolicLink(linked)).isEqualTo(Path.of("../lib/thing/bin/thing"));
    assertThat(Files.readString(linked)).isEqualTo("program");
    assertThat(Files.isSameFile(linked, original)).isTrue();
  }

  @Test
  void aLinkInTheRootDoesNotLeadOut() throws IOException {
    content();
    Path root = Files.createDirectory(folder.resolve("root"));
    Path outside = Files.createDirectory(folder.resolve("outside"));
    Files.createSymbolicLink(root.resolve("opt"), outside);
    new Archives(folder, new Unpacker(Jailer.install(folder)))
        .add(archive("/opt/thing", Map.of()), new RootFileSystem(root), folder, l -> {});
    assertThat(outside).isEmptyDirectory();
    assertThat(root.resolve("./" + outside).resolve("thing/bin/thing")).hasContent("program");
  }
}
