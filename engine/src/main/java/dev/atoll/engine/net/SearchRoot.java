package dev.atoll.engine.net;

import dev.atoll.engine.tree.ForeignTree;
import dev.atoll.engine.tree.TreeDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A file system in which package managers are configured: the host's, or that of a template.
 *
 * <p>Safe for a template that is not trusted: files are found by {@link ForeignTree}, and so are in
 * the root, whatever links say; only regular ones are read, and only their beginnings.
 *
 * @param homes home directories, relative to the root
 * @param environment variables; empty for a template
 * @param isHost whether the server itself uses this configuration
 * @param tools asks a program of the host for its output; gives nothing for a template
 */
record SearchRoot(
    Path root,
    List<String> homes,
    Map<String, String> environment,
    boolean isHost,
    HostTools tools) {
  private static final int MAX_BYTES = 512 << 10;
  private static final int BLOCK = 1 << 20;
  private static final int MAX_BLOCKS = 128;
  private static final int MAX_FILES = 64;
  private static final Pattern PLAIN = Pattern.compile("[ -~]+");
  private static final String DEBIAN_BASES = "base-" + "[0-9a-f]".repeat(16);

  SearchRoot {
    homes = List.copyOf(homes);
    environment = Map.copyOf(environment);
  }

  static SearchRoot host() {
    String home = System.getProperty("user.home", "/root").replaceFirst("^/+", "");
    return new SearchRoot(Path.of("/"), List.of(home), System.getenv(), true, HostTools.real());
  }

  /** The same with its files below another folder, and neither variables nor tools. */
  static SearchRoot host(Path root) {
    return new SearchRoot(root, List.of("root"), Map.of(), true, HostTools.none());
  }

  static SearchRoot template(Path rootfs) {
    List<String> homes = new ArrayList<>(List.of("root"));
    try (ForeignTree tree = ForeignTree.open(rootfs)) {
      names(tree, "home", "*").forEach(name -> homes.add("home/" + name));
    } catch (IOException e) {
      // A root without homes.
    }
    return new SearchRoot(rootfs, homes, Map.of(), false, HostTools.none());
  }

  /**
   * The host, and then what Debian has put into the bases of templates, without what anybody added.
   *
   * @param find whether to look at all
   */
  static List<SearchRoot> hostAndBases(boolean find, Path templates) {
    List<SearchRoot> roots = new ArrayList<>();
    if (find) {
      roots.add(host());
      // Others have longer names: what they hold may be a user's.
      list(templates, DEBIAN_BASES).forEach(base -> roots.add(template(base)));
    }
    return roots;
  }

  /** A file that was found. */
  record Text(String path, String text) {}

  /** The file of that path relative to the root, if it is there; a last part may have stars. */
  List<Text> texts(String path) {
    List<Text> texts = new ArrayList<>();
    for (Path file : files(path)) {
      String text = read(file);
      if (!text.isEmpty()) {
        texts.add(new Text("/" + root.relativize(file), text));
      }
    }
    return texts;
  }

  /**
   * The first text that matches in each program of that path, which is too large to be read as a
   * whole.
   *
   * @param longest how long such a text is at most
   */
  List<Text> inPrograms(String path, Pattern pattern, int longest) {
    List<Text> found = new ArrayList<>();
    for (Path file : files(path)) {
      String text = first(file, pattern, longest);
      if (text != null) {
        found.add(new Text("/" + root.relativize(file), text));
      }
    }
    return found;
  }

  private static @Nullable String first(Path file, Pattern pattern, int longest) {
    if (!Files.isRegularFile(file)) {
      return null;
    }
    try (InputStream in = Files.newInputStream(file)) {
      String before = "";
      for (int blocks = 0; blocks < MAX_BLOCKS; blocks++) {
        byte[] bytes = in.readNBytes(BLOCK);
        String block = before + new String(bytes, StandardCharsets.ISO_8859_1);
        Matcher matcher = pattern.matcher(block);
        if (matcher.find()) {
          return matcher.group();
        }
        if (bytes.length < BLOCK) {
          break;
        }
        before = block.substring(block.length() - longest);
      }
    } catch (IOException e) {
      // Not ours to read.
    }
    return null;
  }

  /** The same below each home directory. */
  List<Text> homeTexts(String path) {
    return homes.stream().flatMap(home -> texts(home + "/" + path).stream()).toList();
  }

  /** Files and folders that match, where they really are; any part may have stars. */
  List<Path> files(String pattern) {
    List<Path> real = new ArrayList<>();
    try (ForeignTree tree = ForeignTree.open(root)) {
      for (String path : matching(tree, pattern)) {
        String place = tree.real(path);
        if (place != null && PLAIN.matcher(place).matches()) {
          real.add(root.resolve(place));
        }
      }
    } catch (IOException e) {
      // Not ours to read.
    }
    return real;
  }

  private static List<String> matching(ForeignTree tree, String pattern) throws IOException {
    List<String> found = List.of("");
    for (String part : pattern.split("/", -1)) {
      List<String> next = new ArrayList<>();
      for (String folder : found) {
        String prefix = folder.isEmpty() ? "" : folder + "/";
        List<String> names = part.indexOf('*') < 0 ? List.of(part) : names(tree, folder, part);
        names.forEach(name -> next.add(prefix + name));
      }
      found = next.subList(0, Math.min(next.size(), MAX_FILES));
    }
    return found;
  }

  /** Names that match in a folder of the tree; none that is no plain text. */
  private static List<String> names(ForeignTree tree, String folder, String glob)
      throws IOException {
    TreeDirectory directory = tree.findDirectory(folder);
    if (directory == null) {
      return List.of();
    }
    Pattern pattern = Pattern.compile(("\\Q" + glob + "\\E").replace("*", "\\E.*\\Q"));
    return directory.names().stream()
        .filter(name -> PLAIN.matcher(name).matches() && pattern.matcher(name).matches())
        .sorted()
        .limit(MAX_FILES)
        .toList();
  }

  private static List<Path> list(Path folder, String glob) {
    List<Path> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, glob)) {
      for (Path entry : entries) {
        if (names.size() < MAX_FILES) {
          names.add(entry);
        }
      }
    } catch (IOException | SecurityException e) {
      // Not a folder, or not ours to read.
    }
    names.sort(null);
    return names;
  }

  private static String read(Path file) {
    if (!Files.isRegularFile(file)) {
      return "";
    }
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "";
    }
  }

  String variable(String name) {
    return environment.getOrDefault(name, "");
  }
}
