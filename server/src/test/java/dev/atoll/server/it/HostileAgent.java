package dev.atoll.server.it;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * A program that speaks the agent's protocol and lies. It takes the agent's place in every template
 * of a server, and behaves until a sandbox's variable says otherwise.
 */
final class HostileAgent {
  /** The variable that makes it hostile: a mode, a hyphen, and a number to draw lots from. */
  static final String VARIABLE = "HOSTILE";

  /** No sandbox lives on with one of these, once something is asked of it. */
  static final List<String> UNBEARABLE =
      List.of("garbage", "length", "empty", "credit", "early", "gaps", "reopened", "usurped");

  /** With these no sandbox wakes from a sleep; it sleeps on. */
  static final List<String> NEVER_AWAKE = List.of("inventory", "prelude");

  /** A sandbox may live on with these; it need not. */
  static final List<String> BEARABLE =
      List.of(
          "flood",
          "late",
          "openings",
          "beyond",
          "deaf_flood",
          "results",
          "answers",
          "replay",
          "silence");

  /** The one that finds what nobody thought of. */
  static final String MUTATE = "mutate";

  private HostileAgent() {}

  /** Writes it below a folder, and returns the option with which a JVM finds it first. */
  static String install(Path folder) throws IOException, InterruptedException {
    Path agent = folder.resolve("classes/dev/atoll/guest/atoll-agent");
    Files.createDirectories(agent.getParent());
    byte[] honest = resource("/dev/atoll/guest/atoll-agent");
    Files.write(folder.resolve("honest"), honest);
    Files.write(folder.resolve("hostile_agent.c"), resource("hostile_agent.c"));
    compile(folder, agent);
    Files.write(agent, archive(honest), StandardOpenOption.APPEND);
    return "-Xbootclasspath/a:" + folder.resolve("classes");
  }

  /** With the compiler that makes the honest one. */
  private static void compile(Path folder, Path agent) throws IOException, InterruptedException {
    Process compiler =
        new ProcessBuilder(
                "musl-gcc",
                "-static",
                "-Os",
                "-Wall",
                "-Werror",
                "-DHONEST=\"" + folder.resolve("honest") + "\"",
                "-o",
                agent.toString(),
                folder.resolve("hostile_agent.c").toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (compiler.waitFor() != 0) {
      throw new IOException(said);
    }
  }

  /** What Python runs: it looks for an archive at the end of a file, whatever is before it. */
  private static byte[] archive(byte[] honest) throws IOException {
    ByteArrayOutputStream archive = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(archive)) {
      zip.putNextEntry(new ZipEntry("__main__.py"));
      zip.write(resource("hostile_agent.py"));
      zip.putNextEntry(new ZipEntry("honest"));
      zip.write(honest);
    }
    return archive.toByteArray();
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream in = HostileAgent.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException("there is no " + name);
      }
      return in.readAllBytes();
    }
  }
}
