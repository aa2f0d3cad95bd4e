package dev.atoll.kernel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What code asks for before it begins: libraries by {@code //DEPS group:artifact:version}, as jbang
 * has it, and places by {@code /env -class-path PATH}, as jshell has it.
 *
 * @param libraries in the order of their lines
 * @param places files and folders for the class path
 * @param code the same lines with the commands taken out
 */
record Preamble(List<String> libraries, List<Path> places, String code) {
  private static final Pattern LIBRARIES = Pattern.compile("\\s*//DEPS\\s+(.*)");
  private static final Pattern COMMAND = Pattern.compile("\\s*/env\\b\\s*(.*)");
  private static final Pattern CLASS_PATH =
      Pattern.compile("--?class-path[=\\s]+(\"[^\"]*\"|\\S+)\\s*");

  /** Reads the lines up to the first that is neither empty nor a comment. */
  static Preamble of(String code) throws DependencyException {
    List<String> libraries = new ArrayList<>();
    List<Path> places = new ArrayList<>();
    List<String> lines = new ArrayList<>(List.of(code.split("\n", -1)));
    boolean commented = false;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      Matcher command = COMMAND.matcher(line);
      if (commented || line.startsWith("/*")) {
        commented = !line.contains("*/");
        if (!commented && !line.endsWith("*/")) {
          break;
        }
      } else if (command.matches()) {
        places.addAll(places(command.group(1)));
        // What follows keeps its line.
        lines.set(i, "");
      } else if (line.startsWith("//")) {
        Matcher named = LIBRARIES.matcher(line);
        if (named.matches()) {
          libraries.addAll(List.of(named.group(1).strip().split("[\\s,;]+")));
        }
      } else if (!line.isEmpty() && !line.startsWith("#!")) {
        break;
      }
    }
    libraries.removeIf(String::isEmpty);
    return new Preamble(List.copyOf(libraries), List.copyOf(places), String.join("\n", lines));
  }

  private static List<Path> places(String options) throws DependencyException {
    Matcher matcher = CLASS_PATH.matcher(options);
    if (!matcher.matches()) {
      throw new DependencyException(
          "invalid_argument", "/env takes a class path and nothing else: /env -class-path lib/a.jar:classes");
    }
    List<Path> places = new ArrayList<>();
    for (String one : matcher.group(1).replace("\"", "").split(":")) {
      if (one.endsWith("/*")) {
        places.addAll(jars(place(one.substring(0, one.length() - 2))));
      } else if (!one.isEmpty()) {
        places.add(place(one));
      }
    }
    return places;
  }

  private static Path place(String text) throws DependencyException {
    String home = System.getProperty("user.home");
    String path = text.equals("~") || text.startsWith("~/") ? home + text.substring(1) : text;
    try {
      Path place = Path.of(System.getProperty("user.dir")).resolve(path).normalize();
      if (Files.exists(place)) {
        return place;
      }
      throw new DependencyException(
          "file_not_found", "/env -class-path names " + text + ", but there is no " + place);
    } catch (InvalidPathException e) {
      throw new DependencyException("file_not_found", "/env -class-path names no file: " + text);
    }
  }

  private static List<Path> jars(Path folder) throws DependencyException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
    } catch (IOException e) {
      throw new DependencyException("file_not_found", folder + " cannot be read: " + e.getMessage());
    }
  }
}
