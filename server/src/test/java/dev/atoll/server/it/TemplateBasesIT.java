package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.atoll.model.BuildEvent;
import dev.atoll.sdk.ApiException;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Templates on images of a real registry and on archives, in real machines. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TemplateBasesIT {
  private LocalRegistry registry;
  private HttpServer files;
  private RealServer server;
  private Atoll atoll;
  private byte[] archive = new byte[0];

  @BeforeAll
  void start(@TempDir Path folder) throws IOException, InterruptedException {
    registry = new LocalRegistry(folder);
    files = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    files.createContext(
        "/root.tar.gz",
        exchange -> {
          exchange.sendResponseHeaders(200, archive.length);
          exchange.getResponseBody().write(archive);
          exchange.close();
        });
    files.createContext(
        "/elsewhere",
        exchange -> {
          exchange.getResponseHeaders().add("Location", "http://127.0.0.1:1/secret");
          exchange.sendResponseHeaders(302, -1);
          exchange.close();
        });
    files.start();
    server =
        new RealServer(
            "--template.insecure-hosts=" + registry.host() + "," + archiveHost(),
            "--template.max-disk=256MiB");
    atoll = server.atoll();
    removeAll();
  }

  private String archiveHost() {
    return "127.0.0.1:" + files.getAddress().getPort();
  }

  @AfterAll
  void stop() throws IOException {
    // One that could not be started must not keep the others from being stopped.
    try {
      if (server != null) {
        removeAll();
        server.close();
      }
    } finally {
      if (files != null) {
        files.stop(0);
      }
      if (registry != null) {
        registry.close();
      }
    }
  }

  @AfterEach
  void removeAll() {
    atoll.sandboxes().list().stream()
        .forEach(info -> atoll.sandboxes().handle(info.id()).terminate());
    atoll.templates().list().stream()
        .filter(template -> template.owner() != null)
        .forEach(template -> atoll.templates().delete(template.name()));
    atoll.secrets().list().forEach(secret -> atoll.secrets().delete(secret.name()));
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** A root with nothing but a static shell. */
  static Map<String, byte[]> tiny() throws IOException {
    Map<String, byte[]> files = new LinkedHashMap<>();
    files.put("bin/busybox", Files.readAllBytes(Path.of("/bin/busybox").toRealPath()));
    for (String name : List.of("sh", "cat", "ls", "id", "pwd", "echo", "env")) {
      files.put("bin/" + name, text("->busybox"));
    }
    files.put("etc/passwd", text("root:x:0:0::/root:/bin/sh\nworker:x:1234:1234::/srv:/bin/sh\n"));
    files.put("srv/below", text("below"));
    files.put("srv/gone", text("gone"));
    return files;
  }

  @Test
  void anImageOfARegistryThatAsksForAPassword() throws Exception {
    String reference =
        registry.push(
            "team/tiny:1",
            Map.of(
                "Env", List.of("PATH=/bin", "FROM_IMAGE=yes", "BOTH=image"),
                "User", "worker",
                "WorkingDir", "/srv"),
            List.of(
                LocalRegistry.layer(tiny(), true),
                LocalRegistry.layer(
                    Map.of("srv/.wh.gone", text(""), "srv/above", text("above")), true)));
    atoll
        .secrets()
        .set("registry", secret -> secret.value(LocalRegistry.PASSWORD).domain(registry.host()));
    String recipe =
        """
        name: tiny
        base: {image: "%s", auth: {username: %s, secret: registry}}
        env: {BOTH: recipe}
        """
            .formatted(reference, LocalRegistry.USER);
    atoll.templates().create(recipe);
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.template("tiny"))) {
      assertThat(
              sandbox
                  .run("/bin/sh", "-c", "id -u; pwd; ls; cat above; echo; echo $FROM_IMAGE $BOTH")
                  .stdout())
          .isEqualTo("1234\n/srv\nabove\nbelow\nabove\nyes recipe\n");
    }
    assertThatThrownBy(
            () ->
                atoll
                    .templates()
                    .create(recipe.replace("auth: {username: puller", "auth: {username: other")))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("not to be had")
        .hasMessageNotContaining(LocalRegistry.PASSWORD);
    assertThatThrownBy(() -> atoll.templates().create(recipe.replace("tiny:1", "none:1")))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("not to be had");
    assertThat(Files.readString(server.home().resolve("logs/it-server.out")))
        .doesNotContain(LocalRegistry.PASSWORD);
  }

  @Test
  void aBuildThatFillsItsDiskFailsAndLeavesNothing() throws IOException {
    assertThatThrownBy(
            () ->
                atoll
                    .templates()
                    .create(
                        "{name: big, base: {template: python},"
                            + " setup: ['echo filling; head -c 600M /dev/zero > /opt/big']}"))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("failed");
    assertThat(atoll.templates().list()).noneMatch(template -> template.name().equals("big"));
    try (var entries = Files.list(server.home().resolve("templates"))) {
      assertThat(entries.map(entry -> entry.getFileName().toString()))
          .noneMatch(name -> name.startsWith(".building"));
    }
  }

  @Test
  void aSecretForAnotherHostIsNotSentToARegistry() {
    atoll.secrets().set("registry", s -> s.value("long enough").domain("registry.example.com"));
    assertThatThrownBy(
            () ->
                atoll
                    .templates()
                    .create(
                        "{name: a, base: {image: '%s/a', auth: {username: u, secret: registry}}}"
                            .formatted(registry.host())))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("not bound");
  }

  @Test
  void anImageAtAPrivateAddressIsNotFetched() {
    assertThatThrownBy(
            () -> atoll.templates().create("{name: a, base: {image: '127.0.0.1:1/team/image'}}"))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("address");
  }

  /** Offers an archive at {@link #archiveUrl}; its digest. */
  private String offer(Map<String, byte[]> files) throws IOException, NoSuchAlgorithmException {
    archive = LocalRegistry.layer(files, true);
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(archive));
  }

  private String archiveUrl() {
    return "http://" + archiveHost() + "/root.tar.gz";
  }

  /** With nothing but busybox in it: neither tar nor find as GNU has them. */
  @Test
  void setupAndPackagesOnARootWithNothingButAShell() throws Exception {
    Map<String, byte[]> files = tiny();
    files.put("bin/apk", text("#!/bin/sh\necho \"$@\" > /srv/apk\n"));
    String recipe =
        """
        name: small
        base: {tarball: '%s', sha256: %s}
        env: {PATH: /bin}
        packages: [tree, jq]
        setup:
          - |
            echo as $(id -u)
            cd /srv; busybox rm gone; echo more >> below; echo run %d > made; echo x > old
            busybox ln made same; busybox ln -s nowhere link; busybox mkdir -p "größe/.x"
            busybox chown 1234:77 made; busybox chmod 4750 made; busybox touch -d 200102030405 made
          - busybox mv /srv/old "/srv/größe/.x/moved"; busybox mkfifo /srv/pipe
        """
            .formatted(archiveUrl(), offer(files), System.nanoTime());
    List<String> output = new ArrayList<>();
    atoll
        .templates()
        .create(
            recipe,
            event -> {
              if (event instanceof BuildEvent.BuildOutput line) {
                output.add(line.text());
              }
            });
    assertThat(output).contains("as 0");
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.template("small"))) {
      String look =
          "cd /srv; cat apk below; ls; busybox stat -c '%a %u:%g %h %Y' made same; cat größe/.x/moved;"
              + " busybox readlink link; ls -d /bin/tar /usr/bin/tar /usr/bin/find 2>&1 | wc -l";
      assertThat(sandbox.run("/bin/sh", "-c", look.replace("wc", "busybox wc")).stdout().lines())
          .containsExactly(
              "add --no-cache jq tree",
              "belowmore",
              "apk",
              "below",
              "größe",
              "link",
              "made",
              "same",
              "4750 1234:77 2 981173100",
              "4750 1234:77 2 981173100",
              "x",
              "nowhere",
              "3");
    }
  }

  @Test
  void anArchiveOfARootFileSystem() throws Exception {
    String sha = offer(tiny());
    String url = archiveUrl();
    atoll
        .templates()
        .create(
            "{name: arc, base: {tarball: '%s', sha256: %s}, env: {PATH: /bin}}"
                .formatted(url, sha));
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.template("arc"))) {
      assertThat(sandbox.run("/bin/cat", "/srv/below").stdout()).isEqualTo("below");
      assertThat(sandbox.run("/bin/id", "-u").stdout()).isEqualTo("1000\n");
    }
    assertThatThrownBy(
            () ->
                atoll
                    .templates()
                    .create(
                        "{name: arc, base: {tarball: '%s', sha256: %s}}"
                            .formatted(url, "0".repeat(64))))
        .hasMessageContaining("SHA-256");
    assertThatThrownBy(
            () ->
                atoll
                    .templates()
                    .create(
                        "{name: arc, base: {tarball: 'http://%s/elsewhere', sha256: %s}}"
                            .formatted(archiveHost(), "1".repeat(64))))
        .hasMessageContaining("not to be had");
    assertThatThrownBy(
            () ->
                atoll
                    .templates()
                    .create("{name: arc, base: {tarball: /etc/shadow, sha256: %s}}".formatted(sha)))
        .hasMessageContaining("URL");
  }
}
