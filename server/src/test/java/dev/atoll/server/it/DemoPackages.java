package dev.atoll.server.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.RunResult;
import dev.atoll.sdk.Sandbox;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The smallest registries that pip, npm, apt, Go and git take, with one package each that says
 * hello.
 */
public final class DemoPackages {
  /** Makes what needs the tools themselves. */
  private static final String WORKSHOP =
      """
      set -e
      mkdir -p out source package deb/DEBIAN deb/usr/bin
      cd source
      git init -q -b main && echo 'hello from git' > greeting && git add greeting
      git -c user.name=t -c user.email=t@t.test commit -q -m first
      cd .. && git clone -q --bare source out/repo.git && git -C out/repo.git update-server-info
      echo '{"name":"reefdemo","version":"1.0.0","main":"index.js"}' > package/package.json
      echo 'module.exports = "hello from npm"' > package/index.js
      tar czf out/reefdemo.tgz package
      printf 'Package: reefdemo\\nVersion: 1.0\\nArchitecture: all\\nMaintainer: t <t@t.test>\\nDescription: demo\\n' > deb/DEBIAN/control
      printf '#!/bin/sh\\necho hello from apt\\n' > deb/usr/bin/reefdemo && chmod 755 deb/usr/bin/reefdemo
      dpkg-deb --root-owner-group -b deb out/reefdemo.deb > /dev/null
      """;

  private static final String DEBIAN =
      """
      set -e
      cd "$(mktemp -d)" && mkdir -p deb/DEBIAN deb/usr/bin
      printf 'Package: reefdemo\\nVersion: 1.0\\nArchitecture: all\\nMaintainer: t <t@t.test>\\nDescription: demo\\n' > deb/DEBIAN/control
      printf '#!/bin/sh\\necho hello from apt\\n' > deb/usr/bin/reefdemo && chmod 755 deb/usr/bin/reefdemo
      dpkg-deb --root-owner-group -b deb /tmp/reefdemo.deb > /dev/null
      """;

  /** A gem, and what an index says of it in the form that gem itself reads. */
  private static final String GEM =
      """
      set -e
      cd "$(mktemp -d)" && mkdir lib
      echo 'module Reefdemo; ANSWER = "hello from gem"; end' > lib/reefdemo.rb
      cat > reefdemo.gemspec <<'END'
      Gem::Specification.new do |s|
        s.name = 'reefdemo'
        s.version = '1.0'
        s.summary = 'demo'
        s.authors = ['t']
        s.files = ['lib/reefdemo.rb']
      end
      END
      gem build --quiet reefdemo.gemspec --output /tmp/reefdemo-1.0.gem 2> /dev/null
      ruby -rzlib -rrubygems/package -e 'File.binwrite("/tmp/reefdemo-1.0.gemspec.rz",
        Zlib::Deflate.deflate(Marshal.dump(Gem::Package.new("/tmp/reefdemo-1.0.gem").spec)))'
      """;

  private DemoPackages() {}

  /**
   * Puts all of them on the local internet.
   *
   * @param workshop a sandbox with git, npm's tools and dpkg; it needs no network
   * @param folder for what is made there
   */
  static void serve(LocalInternet internet, Sandbox workshop, Path folder) throws IOException {
    servePip(internet);
    serveGo(internet);
    RunResult made = workshop.shell(WORKSHOP);
    assertThat(made.exitCode()).as(made.stderr()).isZero();
    workshop.files().downloadDirectory("/home/sandbox/out", folder);
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path inside = folder.relativize(file);
        if (inside.toString().contains("repo.git")) {
          internet.page(
              "/" + inside.subpath(inside.startsWith("out") ? 1 : 0, inside.getNameCount()),
              Files.readAllBytes(file));
        } else if (file.endsWith("reefdemo.tgz")) {
          serveNpm(internet, Files.readAllBytes(file));
        } else if (file.endsWith("reefdemo.deb")) {
          serveApt(internet, Files.readAllBytes(file));
        }
      }
    }
  }

  /** An index of one project, and its wheel. */
  public static void servePip(LocalInternet internet) throws IOException {
    String file = "reefdemo-1.0-py3-none-any.whl";
    byte[] wheel = wheel("reefdemo", "answer = 'hello from pip'\n");
    internet.page("/files/" + file, wheel);
    internet.page("/simple/reefdemo/", link(file, digest("SHA-256", wheel)));
    // What its index promises is something else.
    internet.page("/files/reefbad-1.0-py3-none-any.whl", wheel);
    internet.page(
        "/simple/reefbad/", link("reefbad-1.0-py3-none-any.whl", "0123456789abcdef".repeat(4)));
  }

  /** A wheel with one module. */
  private static byte[] wheel(String name, String module) throws IOException {
    String info = name + "-1.0.dist-info/";
    return zip(
        Map.of(
            name + ".py",
            module,
            info + "METADATA",
            "Metadata-Version: 2.1\nName: " + name + "\nVersion: 1.0\n",
            info + "WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            info + "RECORD",
            name + ".py,,\n"));
  }

  private static String link(String file, String sha256) {
    return "<a href=\"/files/%s#sha256=%s\">%s</a>".formatted(file, sha256, file);
  }

  /** A wheel of zeros that no small sandbox has room for. */
  static void serveHuge(LocalInternet internet, int bytes) throws IOException {
    String file = "reefhuge-1.0-py3-none-any.whl";
    internet.page("/simple/reefhuge/", "<a href=\"/files/" + file + "\">" + file + "</a>");
    internet.page("/files/" + file, wheel("reefhuge", "0".repeat(bytes)));
  }

  /** A wheel that is large however it is packed. */
  static void serveLarge(LocalInternet internet, int bytes) throws IOException {
    byte[] content = new byte[bytes];
    new Random(1).nextBytes(content);
    String file = "reeflarge-1.0-py3-none-any.whl";
    byte[] wheel = wheel("reeflarge", "content = '" + HexFormat.of().formatHex(content) + "'\n");
    internet.page("/files/" + file, wheel);
    internet.page("/simple/reeflarge/", link(file, digest("SHA-256", wheel)));
  }

  private static void serveNpm(LocalInternet internet, byte[] tarball) {
    internet.page("/npm/reefdemo/-/reefdemo-1.0.0.tgz", tarball);
    internet.page(
        "/npm/reefdemo",
        base ->
            """
            {"name":"reefdemo","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"name":"reefdemo",
             "version":"1.0.0","dist":{"shasum":"%s","tarball":"%s/npm/reefdemo/-/reefdemo-1.0.0.tgz"}}}}
            """
                .formatted(digest("SHA-1", tarball), base)
                .getBytes(StandardCharsets.UTF_8));
  }

  private static void serveApt(LocalInternet internet, byte[] deb) {
    internet.page("/apt/reefdemo.deb", deb);
    internet.page(
        "/apt/Packages",
        """
        Package: reefdemo
        Version: 1.0
        Architecture: all
        Maintainer: t <t@t.test>
        Description: demo
        Filename: ./reefdemo.deb
        Size: %d
        SHA256: %s
        """
            .formatted(deb.length, digest("SHA-256", deb)));
  }

  /**
   * An archive as Debian's are, unsigned.
   *
   * @param workshop a sandbox with dpkg
   */
  static void serveDebian(LocalInternet internet, Sandbox workshop) throws IOException {
    RunResult made = workshop.shell(DEBIAN);
    assertThat(made.exitCode()).as(made.stderr()).isZero();
    byte[] deb = workshop.files().readBytes("/tmp/reefdemo.deb");
    byte[] list =
        """
        Package: reefdemo
        Version: 1.0
        Architecture: all
        Maintainer: t <t@t.test>
        Description: demo
        Filename: pool/reefdemo.deb
        Size: %d
        SHA256: %s
        """
            .formatted(deb.length, digest("SHA-256", deb))
            .getBytes(StandardCharsets.UTF_8);
    internet.page("/debian/pool/reefdemo.deb", deb);
    internet.page("/debian/dists/demo/main/binary-amd64/Packages", list);
    internet.page(
        "/debian/dists/demo/Release",
        """
        Suite: demo
        Codename: demo
        Architectures: amd64
        Components: main
        Date: Mon, 01 Jan 2024 00:00:00 UTC
        SHA256:
         %s %d main/binary-amd64/Packages
        """
            .formatted(digest("SHA-256", list), list.length));
  }

  /**
   * A compact index of gems at {@code /gem/}.
   *
   * @param workshop a sandbox with Ruby
   */
  static void serveGem(LocalInternet internet, Sandbox workshop) throws IOException {
    RunResult made = workshop.shell(GEM);
    assertThat(made.exitCode()).as(made.stderr()).isZero();
    byte[] gem = workshop.files().readBytes("/tmp/reefdemo-1.0.gem");
    byte[] info = "---\n1.0 |checksum:%s\n".formatted(digest("SHA-256", gem)).getBytes(UTF_8);
    internet.page("/gem/gems/reefdemo-1.0.gem", gem);
    internet.page(
        "/gem/quick/Marshal.4.8/reefdemo-1.0.gemspec.rz",
        workshop.files().readBytes("/tmp/reefdemo-1.0.gemspec.rz"));
    internet.page("/gem/info/reefdemo", info);
    internet.page(
        "/gem/versions",
        "created_at: 2024-01-01T00:00:00Z\n---\nreefdemo 1.0 %s\n".formatted(digest("MD5", info)));
  }

  private static void serveGo(LocalInternet internet) throws IOException {
    String base = "/go/reef.test/demo/@v/";
    internet.page(base + "v1.0.0.info", "{\"Version\":\"v1.0.0\"}");
    internet.page(base + "v1.0.0.mod", "module reef.test/demo\n");
    internet.page(
        base + "v1.0.0.zip",
        zip(
            Map.of(
                "reef.test/demo@v1.0.0/go.mod", "module reef.test/demo\n",
                "reef.test/demo@v1.0.0/greeting", "hello from go\n")));
  }

  /**
   * A module that another program can use, at {@code /go/}.
   *
   * @return what go.sum has of it
   */
  static String serveGoModule(LocalInternet internet, String module) throws IOException {
    String base = "/go/" + module + "/@v/";
    String prefix = module + "@v1.0.0/";
    String mod = "module " + module + "\n";
    Map<String, String> files =
        new TreeMap<>(
            Map.of(
                prefix + "go.mod",
                mod,
                prefix + "demo.go",
                "package demo\n\nconst Greeting = \"hello from go\"\n"));
    internet.page(base + "list", "v1.0.0\n");
    internet.page(base + "v1.0.0.info", "{\"Version\":\"v1.0.0\"}");
    internet.page(base + "v1.0.0.mod", mod);
    internet.page(base + "v1.0.0.zip", zip(files));
    return "%s v1.0.0 %s\n%s v1.0.0/go.mod %s\n"
        .formatted(module, goSum(files), module, goSum(Map.of("go.mod", mod)));
  }

  private static String goSum(Map<String, String> files) {
    StringBuilder lines = new StringBuilder();
    new TreeMap<>(files)
        .forEach(
            (name, content) ->
                lines
                    .append(digest("SHA-256", content.getBytes(UTF_8)))
                    .append("  ")
                    .append(name)
                    .append('\n'));
    byte[] digest = HexFormat.of().parseHex(digest("SHA-256", lines.toString().getBytes(UTF_8)));
    return "h1:" + Base64.getEncoder().encodeToString(digest);
  }

  private static byte[] zip(Map<String, String> files) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      for (Map.Entry<String, String> entry : List.copyOf(files.entrySet())) {
        zip.putNextEntry(new ZipEntry(entry.getKey()));
        zip.write(entry.getValue().getBytes(StandardCharsets.UTF_8));
        zip.closeEntry();
      }
    }
    return bytes.toByteArray();
  }

  private static String digest(String algorithm, byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
