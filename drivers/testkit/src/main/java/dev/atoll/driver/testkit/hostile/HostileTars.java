package dev.atoll.driver.testkit.hostile;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Archives that mean harm. Each is tried against every way in; none may reach what is outside of
 * the tree that it is laid over.
 */
public final class HostileTars {
  private static final int MIB = 1 << 20;

  /**
   * One archive.
   *
   * @param refusal a part of the message that says why the host refuses it; null if it is harmless;
   *     empty if it may be either
   */
  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  public record Hostile(String name, byte[] archive, @Nullable String refusal) {
    @Override
    public String toString() {
      return name;
    }
  }

  private final List<Hostile> all = new ArrayList<>();
  private final String out;

  private HostileTars(Path outside) {
    this.out = outside.toString();
  }

  /**
   * All there are.
   *
   * @param outside the directory {@code outside} beside the tree, with {@code etc/cron.d/} and
   *     {@code etc/passwd} in it
   */
  public static List<Hostile> all(Path outside) {
    HostileTars tars = new HostileTars(outside);
    tars.links();
    tars.names();
    tars.whiteouts();
    tars.kinds();
    tars.lengths();
    tars.broken();
    return List.copyOf(tars.all);
  }

  private static RawTar tar() {
    return new RawTar();
  }

  private void harmless(String name, RawTar tar) {
    all.add(new Hostile(name, tar.archive(), null));
  }

  private void refused(String name, String why, RawTar tar) {
    all.add(new Hostile(name, tar.archive(), why));
  }

  private void links() {
    harmless(
        "directory whose parent became a link",
        tar().directory("x/", 0755).directory("x/cron.d/", 0777).link("x", out + "/etc"));
    harmless(
        "the same by a relative link",
        tar().directory("x/", 0755).directory("x/cron.d/", 0777).link("x", "../outside/etc"));
    harmless(
        "directory that became a link itself",
        tar().directory("cron.d/", 0777).link("cron.d", out + "/etc/cron.d"));
    harmless("directory over a link", tar().link("x", out + "/etc/cron.d").directory("x/", 0777));
    harmless("file through a link", tar().link("x", out + "/etc").file("x/passwd", "mine"));
    harmless("file over a link", tar().link("x", out + "/etc/passwd").file("x", "mine"));
    harmless(
        "file through two links",
        tar().link("a", out).link("b", "a/etc").file("b/cron.d/job", "mine"));
    harmless("link through a link", tar().link("x", out + "/etc").link("x/more", "/"));
    refused(
        "hard link through a link",
        "no file",
        tar().link("x", out + "/etc").hardLink("y", "x/passwd"));
    refused("hard link out", "no file", tar().hardLink("y", "../outside/etc/passwd"));
    refused("hard link to a file of the host", "no file", tar().hardLink("y", out + "/etc/passwd"));
    refused(
        "hard link to a link",
        "no file",
        tar().link("x", out + "/etc/passwd").hardLink("y", "x").file("y", "mine"));
    refused("links in a circle", "links", tar().link("a", "b").link("b", "a").file("a/x", "y"));
    RawTar chain = tar();
    for (int i = 0; i < 60; i++) {
      chain.link("l" + i, "l" + (i + 1));
    }
    refused("a chain of links", "links", chain.file("l0/x", "y"));
    // In the tree such a link may lead to itself.
    for (String place : List.of("home", "etc", "opt", "proc", "dev", "tmp")) {
      refused(
          "/" + place + " is a link",
          "",
          tar()
              .link(place, out + "/etc")
              .file(place + "/passwd", "mine")
              .directory(place + "/cron.d/", 0777));
    }
  }

  private void names() {
    harmless("parent directories", tar().file("../../outside/etc/passwd", "mine"));
    harmless("absolute name", tar().file(out.length() < 80 ? out + "/etc/passwd" : "/x", "mine"));
    harmless("dots and slashes", tar().file("a/./b//c/../../../../outside/etc/passwd", "mine"));
    refused("a directory above", "names no file", tar().file("a/..", "mine"));
    harmless("new line in a name", tar().file("a\nroot::0:0::/:/bin/sh", "mine"));
    refused("not UTF-8", "", tar().file("a\u00ff\u00fe", "mine"));
    refused(
        "zero byte in a name",
        "",
        tar().extended('x', RawTar.record("path", "a\0b")).file("x", "mine"));
    refused(
        "a name of 300 bytes",
        "300",
        tar().extended('x', RawTar.record("path", "n".repeat(300))).file("x", "mine"));
    refused(
        "10,000 directories deep",
        "names",
        tar().extended('x', RawTar.record("path", "d/".repeat(1000))).file("x", "mine"));
    RawTar deep = tar().directory("d/", 0755).link("l0", "d");
    for (int i = 0; i < 50; i++) {
      String below = "x/".repeat(40);
      deep.directory("l" + i + "/" + below, 0755).link("l" + (i + 1), "l" + i + "/" + below);
    }
    refused("deep by links", "", deep);
    refused(
        "a path of 10,000 bytes",
        "10000 bytes",
        tar().extended('x', RawTar.record("path", "abcdefghi/".repeat(1000))).file("x", "mine"));
    RawTar twice = tar();
    for (int i = 0; i < 50; i++) {
      twice.file("same", "content " + i).directory("same/", 0700).link("same", out);
    }
    harmless("the same name again and again", twice.file("same", "last"));
  }

  private void whiteouts() {
    harmless("whiteout through a link", tar().link("x", out + "/etc").file("x/.wh.passwd", ""));
    harmless("opaque through a link", tar().link("x", out + "/etc").file("x/.wh..wh..opq", ""));
    harmless("whiteout above", tar().file("../outside/etc/.wh.passwd", ""));
    refused("whiteout of the parent", "", tar().file("a/.wh...", ""));
    refused("whiteout of itself", "", tar().file("a/.wh..", ""));
    refused("whiteout of nothing", "", tar().file("a/.wh.", ""));
    harmless("opaque root", tar().file("kept", "x").file(".wh..wh..opq", ""));
  }

  private void kinds() {
    harmless(
        "devices, pipes and what is unknown",
        tar().special("null", '3').special("disk", '4').special("pipe", '6').special("odd", 'Z'));
    harmless("set-user-id", tar().file("su", "program", 06755));
    harmless(
        "attributes, access lists, capabilities",
        tar()
            .extended(
                'x',
                RawTar.record("SCHILY.xattr.security.capability", "\1\0\0\2")
                    + RawTar.record("SCHILY.xattr.user.x", "y")
                    + RawTar.record("SCHILY.acl.access", "user::rwx,user:0:rwx"))
            .file("program", "x", 0755));
    refused(
        "an owner that no file can have",
        "",
        tar().extended('x', RawTar.record("uid", "4294967295")).file("x", "mine"));
    refused(
        "a negative owner", "", tar().extended('x', RawTar.record("uid", "-5")).file("x", "mine"));
    refused(
        "a time beyond all",
        "",
        tar().extended('x', RawTar.record("mtime", "9".repeat(40))).file("x", "y"));
    harmless(
        "a directory with content",
        tar().header("d/", '5', RawTar.octal(600), "", 0755, true).data(new byte[600]));
  }

  private void lengths() {
    byte[] much = new byte[3 * MIB];
    Arrays.fill(much, (byte) 'n');
    refused(
        "a GNU long name of 8 GiB",
        "header",
        tar().header("././@LongLink", 'L', RawTar.octal(8L << 30), "", 0, true).data(much));
    refused(
        "a GNU long link of 8 GiB",
        "header",
        tar().header("././@LongLink", 'K', RawTar.octal(8L << 30), "", 0, true).data(much));
    refused(
        "an extended header of 8 GiB",
        "",
        tar().header("x", 'x', RawTar.octal(8L << 30), "", 0, true).data(much));
    refused(
        "one record of 3 MiB",
        "header",
        tar().extended('x', RawTar.record("comment", "c".repeat(3 * MIB))).file("x", "y"));
    refused("a record of no length", "", tar().extended('x', " path=a\n").file("x", "y"));
    refused("a record of negative length", "", tar().extended('x', "-9 path=a\n").file("x", "y"));
    refused(
        "a record that is longer than it all",
        "",
        tar().extended('x', "99999999999 path=a\n").file("x", "y"));
    RawTar global = tar();
    for (int i = 0; i < 30; i++) {
      StringBuilder records = new StringBuilder();
      for (int j = 0; j < 200; j++) {
        records.append(RawTar.record("key." + i + "." + j, "v".repeat(100)));
      }
      global.extended('g', records.toString()).file("f" + i, "x");
    }
    refused("attributes of the whole archive that add up", "attributes", global);
    refused(
        "a file of an exabyte",
        "larger",
        tar().header("x", '0', size(1L << 60), "", 0644, true).data(new byte[512]));
    refused(
        "a file of negative size",
        "",
        tar().header("x", '0', size(-5), "", 0644, true).data(new byte[512]));
    refused(
        "a sparse file of an exabyte",
        "",
        tar()
            .extended(
                'x',
                RawTar.record("GNU.sparse.major", "1")
                    + RawTar.record("GNU.sparse.minor", "0")
                    + RawTar.record("GNU.sparse.name", "x")
                    + RawTar.record("GNU.sparse.realsize", Long.toString(1L << 60)))
            .file("x", "1\n" + (1L << 59) + "\n1\n" + "\0".repeat(490)));
    refused(
        "a map of holes without an end",
        "",
        tar()
            .extended(
                'x',
                RawTar.record("GNU.sparse.major", "1")
                    + RawTar.record("GNU.sparse.minor", "0")
                    + RawTar.record("GNU.sparse.realsize", "10"))
            .file("x", "9999999\n" + "0\n0\n".repeat(MIB / 2)));
    byte[] bomb =
        new RawTar()
            .header("x", '0', RawTar.octal(64L * MIB), "", 0644, true)
            .data(new byte[64 * MIB])
            .archive();
    all.add(new Hostile("a bomb of gzip", RawTar.gzip(bomb), "larger"));
    all.add(new Hostile("a bomb of zstd", RawTar.zstd(bomb), "larger"));
    byte[] skipped =
        new RawTar()
            .header("x", '6', RawTar.octal(64L * MIB), "", 0644, true)
            .data(new byte[64 * MIB])
            .archive();
    all.add(new Hostile("a bomb that is passed over", RawTar.zstd(skipped), ""));
  }

  /** In the binary form, which has room for more than octal digits. */
  private static byte[] size(long number) {
    byte[] field = new byte[12];
    Arrays.fill(field, number < 0 ? (byte) 0xff : 0);
    for (int i = 0; i < 8; i++) {
      field[11 - i] = (byte) (number >> (8 * i));
    }
    field[0] |= (byte) 0x80;
    return field;
  }

  private void broken() {
    byte[] good = tar().file("a", "x".repeat(5000)).archive();
    all.add(new Hostile("cut off", Arrays.copyOf(good, 1500), ""));
    all.add(new Hostile("gzip that is cut off", Arrays.copyOf(RawTar.gzip(good), 30), ""));
    all.add(new Hostile("zstd that is cut off", Arrays.copyOf(RawTar.zstd(good), 30), ""));
    byte[] trailing = Arrays.copyOf(good, good.length + 5000);
    new Random(1).nextBytes(trailing);
    System.arraycopy(good, 0, trailing, 0, good.length);
    all.add(new Hostile("garbage after the end", trailing, null));
    byte[] noise = new byte[20_000];
    new Random(2).nextBytes(noise);
    all.add(new Hostile("noise", noise, ""));
    all.add(new Hostile("nothing", new byte[0], ""));
    all.add(
        new Hostile("text", "no archive at all".repeat(99).getBytes(StandardCharsets.UTF_8), ""));
    refused(
        "a wrong checksum",
        "",
        tar().header("x", '0', RawTar.octal(0), "", 0644, false).file("y", "z"));
    all.add(new Hostile("xz", new byte[] {(byte) 0xfd, '7', 'z', 'X', 'Z', 0, 0}, "xz"));
  }
}
