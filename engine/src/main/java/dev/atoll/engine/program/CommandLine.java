package dev.atoll.engine.program;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A command line of a recipe as arguments. One of plain words is started as it is, so that its end
 * is told as it was; anything else is left to a shell.
 */
final class CommandLine {
  private static final Pattern PLAIN =
      Pattern.compile("[a-zA-Z0-9_@%+:,./-]+( +[a-zA-Z0-9_@%+=:,./-]+)*");

  private CommandLine() {}

  static List<String> argv(String line, List<String> arguments) {
    String stripped = line.strip();
    List<String> argv = new ArrayList<>();
    if (PLAIN.matcher(stripped).matches()) {
      argv.addAll(List.of(stripped.split(" +", -1)));
    } else if (arguments.isEmpty()) {
      argv.addAll(List.of("/bin/sh", "-c", stripped));
    } else {
      argv.addAll(List.of("/bin/sh", "-c", stripped + " \"$@\"", "sh"));
    }
    argv.addAll(arguments);
    return argv;
  }
}
