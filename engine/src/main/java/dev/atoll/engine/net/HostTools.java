package dev.atoll.engine.net;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Asks a package manager of the host about itself. */
interface HostTools {

  /** Its standard output; empty when it is not there, fails or takes long. */
  String output(List<String> command);

  static HostTools none() {
    return command -> "";
  }

  /**
   * Runs the program that the server's PATH finds. Safe because the commands are constants of this
   * package, without a shell and without input, and what they print is only searched for addresses.
   */
  static HostTools real() {
    return HostTools::run;
  }

  private static String run(List<String> command) {
    Process process = null;
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
      builder.environment().keySet().removeIf(name -> name.startsWith("ATOLL_"));
      Process started = builder.start();
      process = started;
      started.getOutputStream().close();
      Thread killer = Thread.ofVirtual().unstarted(() -> killAfter(started));
      killer.start();
      try (InputStream in = started.getInputStream()) {
        return new String(in.readNBytes(16 << 10), StandardCharsets.UTF_8);
      } finally {
        killer.interrupt();
      }
    } catch (IOException e) {
      return "";
    } finally {
      if (process != null) {
        process.destroyForcibly();
      }
    }
  }

  private static void killAfter(Process process) {
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      // Its output has been read.
    }
  }
}
