package dev.atoll.cli;

import dev.atoll.model.Json;
import dev.atoll.model.Visible;
import java.io.BufferedOutputStream;
import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.SerializationFeature;

/**
 * What the command is connected to.
 *
 * @param inTerminal whether a person types
 * @param outTerminal whether a person reads the output
 * @param errTerminal whether a person reads the messages
 */
record Stdio(
    InputStream in,
    PrintStream out,
    PrintStream err,
    boolean inTerminal,
    boolean outTerminal,
    boolean errTerminal,
    Map<String, String> environment) {

  /** The streams of this process; bytes of a guest pass through them unchanged. */
  static Stdio system() {
    return new Stdio(
        new FileInputStream(FileDescriptor.in),
        print(FileDescriptor.out),
        print(FileDescriptor.err),
        isTerminal(0),
        isTerminal(1),
        isTerminal(2),
        System.getenv());
  }

  /** Prints a value as one JSON document. */
  void json(Object value) {
    out.println(
        Json.lenient().writer().with(SerializationFeature.INDENT_OUTPUT).writeValueAsString(value));
  }

  /** A message for the person, apart from the output; what guests said in it is shown, not done. */
  void message(String text) {
    out.flush();
    err.println("atoll: " + Visible.lines(text));
    err.flush();
  }

  boolean colour() {
    String noColour = environment.get("NO_COLOR");
    return outTerminal && (noColour == null || noColour.isEmpty());
  }

  /** Whether the locale can show more than ASCII. */
  boolean unicode() {
    for (String variable : List.of("LC_ALL", "LC_CTYPE", "LANG")) {
      String locale = environment.getOrDefault(variable, "");
      if (!locale.isEmpty()) {
        return locale.toLowerCase(Locale.ROOT).replace("-", "").contains("utf8");
      }
    }
    return false;
  }

  boolean debug() {
    return environment.containsKey("ATOLL_DEBUG");
  }

  private static PrintStream print(FileDescriptor descriptor) {
    OutputStream out = new BufferedOutputStream(new FileOutputStream(descriptor), 8 << 10);
    return new PrintStream(out, false, StandardCharsets.UTF_8);
  }

  /** Linux tells by the link; elsewhere all three streams are taken for what the console is. */
  private static boolean isTerminal(int descriptor) {
    Path link = Path.of("/proc/self/fd/" + descriptor);
    try {
      String target = Files.readSymbolicLink(link).toString();
      return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
    } catch (IOException e) {
      return Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
    }
  }
}
