package dev.atoll.engine.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WalkTest {
  private static final String ROOT = "///d 755 0 0 0 1.0 1.0 19 1//";

  private static String file(String path, String fields) {
    return path + "//" + fields + "//";
  }

  private static Walk walk(String... records) {
    byte[] bytes = (String.join("\0", records) + "\0").getBytes(StandardCharsets.ISO_8859_1);
    return Walk.of(new NulRecords(new ByteArrayInputStream(bytes)));
  }

  private static List<String> paths(Walk walk) throws IOException {
    List<String> paths = new ArrayList<>();
    for (WalkEntry entry = walk.next(); entry != null; entry = walk.next()) {
      paths.add(entry.path());
    }
    return paths;
  }

  @Test
  void recordsBecomeEntries() throws IOException {
    Walk walk =
        walk(
            "!24 0",
            ROOT,
            "/a\nb//l 777 1000 1001 7 1794731068.5244782340 -1.5 24 2//x//y",
            file("/etc", "d 1777 0 0 9 1 1 19 1"),
            "~0");

    assertThat(walk.next()).extracting(WalkEntry::path).isEqualTo("/");
    assertThat(walk.next())
        .isEqualTo(
            new WalkEntry(
                "/a\nb",
                'l',
                0777,
                1000,
                1001,
                7,
                1794731068524478234L,
                -500_000_000,
                "24",
                2,
                "x//y"));
    assertThat(walk.next()).extracting(WalkEntry::mode).isEqualTo(01777);
    assertThat(walk.next()).isNull();
    assertThat(walk.base()).isEqualTo("24");
    assertThat(walk.uid()).isZero();
  }

  @Test
  void atollsOwnFilesAreLeftOut() throws IOException {
    String fields = "f 644 0 0 1 1.0 1.0 24 1";
    Walk walk =
        walk(
            "! 1000",
            ROOT,
            file("/home/.atoll-0123456789abcdef", fields),
            file("/home/.atoll-notes", fields),
            file("/tmp/.atoll-keep", fields),
            "~1");

    assertThat(paths(walk)).containsExactly("/", "/home/.atoll-notes");
  }

  @Test
  void namesThatAreNoTextAreReplacedForDisplayOnly() {
    WalkEntry entry = WalkEntry.parse(file("/a\u00ff\n\u00c3\u00a4", "f 644 0 0 1 1.0 1.0 24 1"));

    assertThat(entry.display()).isEqualTo("/a\ufffd\ufffdä");
    assertThat(entry.bytes()).hasSize(6).contains((byte) 0xff);
  }

  @Test
  void aGuestThatTalksNonsenseEndsTheWalk() {
    assertBroken("!24 0", ROOT);
    assertBroken("!24 0", "~0");
    assertBroken(ROOT, "~0");
    assertBroken("!24 0", ROOT, "~137");
    assertBroken("!24 0", ROOT, "rubbish", "~0");
    assertBroken("!24 0", ROOT, "/x//f 644 0 0 1 1.0 1.0 24//", "~0");
    assertBroken("!24 0", ROOT, "/x//f 644 0 0 many 1.0 1.0 24 1//", "~0");
    assertBroken("!24 0", ROOT, ROOT, "~0");
    assertBroken("!24 0", file("/b", "f 644 0 0 1 1.0 1.0 24 1"), ROOT, "~0");
    assertBroken("!24 0", ROOT, "/" + "x".repeat(20_000), "~0");
    assertBroken("!24 0", ROOT, "~0", file("/b", "f 644 0 0 1 1.0 1.0 24 1"));
  }

  private static void assertBroken(String... records) {
    assertThatThrownBy(() -> paths(walk(records))).isInstanceOf(IOException.class);
  }

  @Test
  void pairsMeetWhereThePathsAreTheSame() throws IOException {
    String fields = "f 644 0 0 1 1.0 1.0 24 1";
    WalkPairs pairs =
        new WalkPairs(
            walk("!24 0", ROOT, file("/a", fields), file("/b", fields), "~0"),
            walk("!24 0", ROOT, file("/b", fields), file("/c", fields), "~0"));

    List<String> seen = new ArrayList<>();
    for (WalkPairs.Pair pair = pairs.next(); pair != null; pair = pairs.next()) {
      WalkEntry left = pair.left();
      WalkEntry right = pair.right();
      seen.add((left == null ? "" : left.path()) + "=" + (right == null ? "" : right.path()));
    }
    assertThat(seen).containsExactly("/=/", "/a=", "/b=/b", "=/c");
  }

  @Test
  void theHostsOwnFilesAreWalkedInTheSameOrder(@TempDir Path root) throws IOException {
    for (String folder : List.of("opt/atoll", "proc/1", "a", "a.b")) {
      Files.createDirectories(root.resolve(folder));
    }
    for (String file : List.of("opt/atoll/agent", "a/.hidden", "a/-x", "a/z", "a-b", "proc/x")) {
      Files.writeString(root.resolve(file), file);
    }
    Files.createSymbolicLink(root.resolve("link"), Path.of("a//z"));

    try (Walk walk = Walk.of(root)) {
      assertThat(paths(walk))
          .containsExactlyInAnyOrder(
              "/", "/a", "/a/-x", "/a/.hidden", "/a/z", "/a-b", "/a.b", "/link", "/opt");
      assertThat(walk.base()).isNotEmpty();
    }
  }

  @Test
  void onlyTheGuestsOwnFilesAreSuspectedForTheirTimeOfChange() {
    WalkEntry host = WalkEntry.parse(file("/x", "f 644 0 0 1 5.0 6.0 99 1"));
    assertThat(differs(host, "f 644 0 0 1 5.0 6.0 24 1")).isFalse();
    assertThat(differs(host, "f 644 0 0 1 5.0 7.0 24 1")).isFalse();
    assertThat(differs(host, "f 644 0 0 1 5.0 7.0 17 1")).isTrue();
    assertThat(differs(host, "f 644 0 0 1 5.1 6.0 17 1")).isTrue();
    assertThat(differs(host, "f 644 0 7 1 5.0 6.0 24 1")).isTrue();
    assertThat(differs(host, "f 600 0 0 1 5.0 6.0 24 1")).isTrue();
    assertThat(differs(host, "f 644 0 0 2 5.0 6.0 24 1")).isTrue();
  }

  private static boolean differs(WalkEntry host, String fields) {
    return LayerScan.differs(host, WalkEntry.parse(file("/x", fields)), "24");
  }
}
