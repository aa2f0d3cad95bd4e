package dev.atoll.supply;

import dev.atoll.supply.Component.Ecosystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What ships from a checkout that was built. Jars are known by their bytes: the lock of checksums
 * says which artifact they are. One that is neither in the lock nor ours is an error.
 */
final class Shipped {
  private static final Pattern REQUIRED =
      Pattern.compile("(?m)^\\s*(?:require )?([a-z0-9.-]+\\.[a-z]+/\\S+) (v\\S+)");
  private static final String OURS = "atoll-";

  private final Path root;

  Shipped(Path root) {
    this.root = root;
  }

  /** Everything, jars first. */
  List<Component> components(Map<String, String> debian) throws IOException {
    List<Component> all = new ArrayList<>();
    Map<String, String> lock = lock();
    for (String part : List.of("server", "cli")) {
      for (Path jar : jars(root.resolve(part).resolve("target/lib"))) {
        if (!jar.getFileName().toString().startsWith(OURS)) {
          all.add(jar(jar, lock, part));
        }
      }
    }
    all.addAll(modules());
    debian.forEach(
        (name, version) ->
            all.add(new Component(Ecosystem.DEBIAN, "", name, version, null, "agent")));
    return List.copyOf(all);
  }

  static List<Path> jars(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      throw new IOException(folder + " is not there: build the checkout first");
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
    }
  }

  /** Paths in a Maven repository by the checksums of their files. */
  private Map<String, String> lock() throws IOException {
    Map<String, String> paths = new HashMap<>();
    for (String line : Files.readAllLines(root.resolve(".mvn/checksums.sha256"))) {
      paths.put(line.substring(0, 64), line.substring(66));
    }
    return paths;
  }

  private static Component jar(Path jar, Map<String, String> lock, String part) throws IOException {
    String digest = sha256(jar);
    String path = lock.get(digest);
    if (path == null) {
      throw new IOException(jar + " is in no line of the lock of checksums");
    }
    Path artifact = Path.of(path);
    int names = artifact.getNameCount();
    return new Component(
        Ecosystem.MAVEN,
        artifact.subpath(0, names - 3).toString().replace('/', '.'),
        artifact.getName(names - 3).toString(),
        artifact.getName(names - 2).toString(),
        digest,
        part);
  }

  static String sha256(Path file) throws IOException {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The modules that runsc is built from. */
  private List<Component> modules() throws IOException {
    List<Component> modules = new ArrayList<>();
    String text = Files.readString(root.resolve("launcher/runsc/go.mod"));
    Matcher required = REQUIRED.matcher(text);
    while (required.find()) {
      modules.add(
          new Component(Ecosystem.GO, "", required.group(1), required.group(2), null, "runsc"));
    }
    if (modules.isEmpty()) {
      throw new IOException("launcher/runsc/go.mod requires nothing");
    }
    return modules;
  }
}
