package dev.atoll.engine.template;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A root file system being finished. Its files may be hard links into a shared base, so nothing is
 * ever written in place: a file is removed and made anew.
 */
final class RootFileSystem {
  private static final int USER_ID = 1000;
  private static final int MOST_BYTES = 1 << 20;

  private final Path root;

  RootFileSystem(Path root) {
    this.root = root;
  }

  /** Brings a root to the state in which its template's own commands find it. */
  void prepare(Recipe recipe) throws IOException {
    addUser(recipe.user());
    for (Map.Entry<String, byte[]> file : GuestFiles.all().entrySet()) {
      write(file.getKey(), file.getValue(), file.getKey().endsWith("agent") ? 0755 : 0644);
    }
    ClientFiles clients = new ClientFiles(root);
    for (Map.Entry<String, byte[]> file : clients.all().entrySet()) {
      write(file.getKey(), file.getValue(), 0644);
    }
    if (recipe.base().debian() != null) {
      for (Map.Entry<String, byte[]> file : clients.aptCache().entrySet()) {
        write(file.getKey(), file.getValue(), 0644);
      }
    }
    for (Recipe.RecipeFile file : recipe.files()) {
      write(file.path(), file.content(), file.permissions());
    }
    host();
  }

  /** The same for a machine in which Atoll itself may do everything and runs no kernel. */
  void prepareForSetup(Recipe recipe) throws IOException {
    prepare(recipe);
    write("/etc/atoll/agent.conf", agentConfiguration(recipe, true), 0644);
  }

  /** The last step, after whatever setup commands have done. */
  void finish(Recipe recipe) throws IOException {
    addUser(recipe.user());
    for (Map.Entry<String, byte[]> file : GuestFiles.own().entrySet()) {
      write(file.getKey(), file.getValue(), file.getKey().endsWith("agent") ? 0755 : 0644);
    }
    write("/etc/atoll/agent.conf", agentConfiguration(recipe, false), 0644);
    if (!recipe.preload().isEmpty()) {
      write("/etc/atoll/preload", String.join("\n", recipe.preload()) + "\n", 0644);
    }
    host();
  }

  /** A folder of the guest, made if it is absent. */
  Path folder(String path) throws IOException {
    return Files.createDirectories(inside(path));
  }

  /** Makes a symbolic link; its target is only ever looked at in the guest. */
  void link(String path, String target) throws IOException {
    Path file = inside(path);
    Files.createDirectories(file.getParent());
    Files.deleteIfExists(file);
    Files.createSymbolicLink(file, Path.of(target));
  }

  private void host() throws IOException {
    // Debootstrapping leaves the host's own name and resolver behind.
    write("/etc/hostname", "sandbox\n", 0644);
    write("/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n", 0644);
    // The agent answers, for names that the sandbox may reach.
    write("/etc/resolv.conf", "nameserver 127.0.0.53\noptions timeout:20 attempts:1\n", 0644);
    // A non-empty /tmp stays on the root file system, and so on disk; the agent removes the file.
    write("/tmp/.atoll-keep", "", 0644);
  }

  /** A user that is there already stays as it is: its files belong to its number. */
  private void addUser(String user) throws IOException {
    List<String> known = lines(inside("/etc/passwd"));
    if (known.stream().anyMatch(line -> line.startsWith(user + ":"))) {
      return;
    }
    append("/etc/passwd", "%s:x:%d:%d::/home/%s:/bin/bash".formatted(user, USER_ID, USER_ID, user));
    append("/etc/group", "%s:x:%d:".formatted(user, USER_ID));
    append("/etc/shadow", user + ":*:19000:0:99999:7:::");
    Path home = inside("/home/" + user);
    if (!Files.isDirectory(home, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectories(home);
      Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxr-x---"));
      Files.setAttribute(home, "unix:uid", USER_ID, LinkOption.NOFOLLOW_LINKS);
      Files.setAttribute(home, "unix:gid", USER_ID, LinkOption.NOFOLLOW_LINKS);
    }
  }

  private void append(String path, String line) throws IOException {
    Path file = inside(path);
    List<String> lines = new ArrayList<>(lines(file));
    String key = line.substring(0, line.indexOf(':') + 1);
    lines.removeIf(existing -> existing.startsWith(key));
    lines.add(line);
    int mode = path.equals("/etc/shadow") ? 0640 : 0644;
    write(path, (String.join("\n", lines) + "\n").getBytes(StandardCharsets.ISO_8859_1), mode);
  }

  /** A file that a stranger may have made: a link is none, and nothing is too long. */
  private static List<String> lines(Path file) throws IOException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return List.of();
    }
    if (Files.size(file) > MOST_BYTES) {
      throw new IOException(file.getFileName() + " is larger than " + MOST_BYTES + " bytes");
    }
    return Files.readAllLines(file, StandardCharsets.ISO_8859_1);
  }

  private static String agentConfiguration(Recipe recipe, boolean setup) {
    StringBuilder text = new StringBuilder();
    text.append("user=").append(recipe.user()).append('\n');
    text.append("allow-root=").append(setup || recipe.allowRoot()).append('\n');
    String path = recipe.env().get("PATH");
    if (path != null) {
      text.append("path=").append(path).append('\n');
    }
    if (recipe.directory() != null && !setup) {
      text.append("directory=").append(recipe.directory()).append('\n');
    }
    if (setup) {
      return text.toString();
    }
    recipe.kernels().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            k ->
                text.append("kernel.")
                    .append(k.getKey())
                    .append('=')
                    .append(k.getValue())
                    .append('\n'));
    if (recipe.spare() != null) {
      text.append("spare=").append(recipe.spare()).append('\n');
    }
    recipe.start().forEach(command -> text.append("start=").append(command).append('\n'));
    return text.toString();
  }

  private void write(String path, String content, int mode) throws IOException {
    write(path, content.getBytes(StandardCharsets.UTF_8), mode);
  }

  private void write(String path, byte[] content, int mode) throws IOException {
    Path file = inside(path);
    Files.createDirectories(file.getParent());
    Files.deleteIfExists(file);
    Files.write(file, content);
    Files.setAttribute(file, "unix:mode", mode);
  }

  /**
   * A path of the guest on the host; one that a symbolic link would lead out of the root is
   * refused.
   */
  private Path inside(String path) throws IOException {
    Path file = root.resolve(path.substring(1)).normalize();
    if (!file.startsWith(root)) {
      throw new IOException(path + " leads out of the root file system");
    }
    if (!existingParent(file).toRealPath().startsWith(root.toRealPath())) {
      throw new IOException(path + " leads out of the root file system");
    }
    return file;
  }

  private Path existingParent(Path file) {
    Path folder = file.getParent();
    while (folder != null && !Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      folder = folder.getParent();
    }
    return folder == null ? root : folder;
  }
}
