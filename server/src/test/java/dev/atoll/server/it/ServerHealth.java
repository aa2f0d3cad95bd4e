package dev.atoll.server.it;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a server's JVM holds, as the tools of the JDK tell. */
final class ServerHealth {
  private static final Pattern USED =
      Pattern.compile("^\\s*+(?!Metaspace|class space).*\\bused (\\d+)K", Pattern.MULTILINE);

  private final long pid;

  ServerHealth(long pid) {
    this.pid = pid;
  }

  /** Bytes of the heap that are in use after a collection. */
  long heap() throws IOException, InterruptedException {
    jcmd("GC.run");
    String text = jcmd("GC.heap_info");
    long kibibytes = 0;
    for (Matcher used = USED.matcher(text); used.find(); ) {
      kibibytes += Long.parseLong(used.group(1));
    }
    if (kibibytes == 0) {
      throw new IOException("no heap in " + text);
    }
    return kibibytes << 10;
  }

  /** Threads whose names begin so, virtual ones included. */
  long threads(String prefix) throws IOException, InterruptedException {
    Path dump = Files.createTempFile("threads", ".txt");
    try {
      jcmd("Thread.dump_to_file", "-overwrite", dump.toString());
      return Files.readString(dump).lines().filter(line -> line.contains("\"" + prefix)).count();
    } finally {
      Files.delete(dump);
    }
  }

  private String jcmd(String... command) throws IOException, InterruptedException {
    String[] line = new String[command.length + 2];
    line[0] = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    line[1] = Long.toString(pid);
    System.arraycopy(command, 0, line, 2, command.length);
    Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(text);
    }
    return text;
  }
}
