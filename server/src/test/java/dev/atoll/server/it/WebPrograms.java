package dev.atoll.server.it;

import dev.atoll.model.PortInfo;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** Programs with ports, started in real sandboxes of a template that has Python and Node. */
final class WebPrograms {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private WebPrograms() {}

  /** A server that knows the usual templates and the one for these tests, which is built. */
  static RealServer server(Path folder, String... settings)
      throws IOException, InterruptedException {
    for (Path from :
        List.of(
            Path.of("../templates/python.yaml"),
            Path.of("../templates/node.yaml"),
            resource("templates/web.yaml"))) {
      Files.copy(from, folder.resolve(from.getFileName()), StandardCopyOption.REPLACE_EXISTING);
    }
    String[] all = new String[settings.length + 1];
    all[0] = "--templates-dir=" + folder;
    System.arraycopy(settings, 0, all, 1, settings.length);
    RealServer server = new RealServer(all);
    server.build("web");
    return server;
  }

  static Sandbox sandbox(Atoll atoll) {
    return atoll.sandboxes().create(s -> s.template("web"));
  }

  /** Starts a program and waits until it listens. */
  static void start(Sandbox sandbox, int port, String... argv) throws InterruptedException {
    sandbox.start(argv);
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (sandbox.ports().list().stream().map(PortInfo::port).noneMatch(p -> p == port)) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("nothing listens on " + port);
      }
      Thread.sleep(50);
    }
  }

  /** Puts a file of these tests into a sandbox and gives its path there. */
  static String install(Sandbox sandbox, String name) throws IOException {
    try (InputStream content = Files.newInputStream(resource("ports/" + name))) {
      sandbox.files().write(name, content.readAllBytes());
    }
    return name;
  }

  private static Path resource(String name) {
    return Path.of(
        Objects.requireNonNull(WebPrograms.class.getResource("/" + name), name).getPath());
  }
}
