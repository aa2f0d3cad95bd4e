package dev.atoll.engine.template;

import dev.atoll.engine.tree.FileAttributes;
import dev.atoll.engine.tree.FileStatus;
import dev.atoll.engine.tree.ForeignTree;
import dev.atoll.engine.tree.LinkedCopy;
import dev.atoll.engine.tree.NameText;
import dev.atoll.engine.tree.TreeDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A root file system being finished. A stranger may have written it: every place in it is found as
 * the guest would find it, by {@link ForeignTree}, and so is in it. Its files may be hard links
 * into a shared base, so nothing is ever written in place: a file is removed and made anew.
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
    try (ForeignTree tree = ForeignTree.open(root)) {
      prepare(recipe, tree);
    }
  }

  private static void prepare(Recipe recipe, ForeignTree tree) throws IOException {
    addUser(recipe.user(), tree);
    writeAll(GuestFiles.all(), tree);
    ClientFiles clients = new ClientFiles(tree);
    writeAll(clients.all(), tree);
    if (recipe.base().debian() != null) {
      writeAll(clients.aptCache(), tree);
    }
    for (Recipe.RecipeFile file : recipe.files()) {
      write(tree, file.path(), file.content(), file.permissions());
    }
    host(tree);
  }

  private static void writeAll(Map<String, byte[]> files, ForeignTree tree) throws IOException {
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      boolean program = file.getKey().equals(GuestFiles.AGENT);
      write(tree, file.getKey(), file.getValue(), program ? 0755 : 0644);
    }
  }

  /** The same for a machine in which Atoll itself may do everything and runs no kernel. */
  void prepareForSetup(Recipe recipe) throws IOException {
    try (ForeignTree tree = ForeignTree.open(root)) {
      prepare(recipe, tree);
      write(tree, "/etc/atoll/agent.conf", agentConfiguration(recipe, true), 0644);
    }
  }

  /** The last step, after whatever setup commands have done. */
  void finish(Recipe recipe) throws IOException {
    try (ForeignTree tree = ForeignTree.open(root)) {
      addUser(recipe.user(), tree);
      writeAll(GuestFiles.own(), tree);
      write(tree, "/etc/atoll/agent.conf", agentConfiguration(recipe, false), 0644);
      if (!recipe.preload().isEmpty()) {
        write(tree, "/etc/atoll/preload", String.join("\n", recipe.preload()) + "\n", 0644);
      }
      host(tree);
    }
  }

  /** Adds what is in a folder of the host, as hard links, and symbolic links besides. */
  void add(Path content, String to, Map<String, String> links) throws IOException {
    try (ForeignTree tree = ForeignTree.open(root)) {
      LinkedCopy.add(content, tree, NameText.of(to));
      for (Map.Entry<String, String> link : links.entrySet()) {
        ForeignTree.Place place = tree.place(NameText.of(link.getKey()));
        tree.clear(place);
        // Its target is only ever looked at in the guest.
        place.directory().makeLink(place.name(), NameText.of(link.getValue()));
      }
    }
  }

  private static void host(ForeignTree tree) throws IOException {
    // Debootstrapping leaves the host's own name and resolver behind.
    write(tree, "/etc/hostname", "sandbox\n", 0644);
    write(tree, "/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n", 0644);
    // The agent answers, for names that the sandbox may reach.
    write(tree, "/etc/resolv.conf", "nameserver 127.0.0.53\noptions timeout:20 attempts:1\n", 0644);
    // A non-empty /tmp stays on the root file system, and so on disk; the agent removes the file.
    write(tree, "/tmp/.atoll-keep", "", 0644);
  }

  /** A user that is there already stays as it is: its files belong to its number. */
  private static void addUser(String user, ForeignTree tree) throws IOException {
    if (lines(tree, "/etc/passwd").stream().anyMatch(line -> line.startsWith(user + ":"))) {
      return;
    }
    append(
        tree,
        "/etc/passwd",
        "%s:x:%d:%d::/home/%s:/bin/bash".formatted(user, USER_ID, USER_ID, user));
    append(tree, "/etc/group", "%s:x:%d:".formatted(user, USER_ID));
    append(tree, "/etc/shadow", user + ":*:19000:0:99999:7:::");
    ForeignTree.Place home = tree.place("/home/" + user);
    FileStatus status = home.status();
    if (status == null || !status.isDirectory()) {
      tree.makeDirectory(home);
      try (TreeDirectory made = home.directory().directory(home.name())) {
        if (made == null) {
          throw new IOException("/home/" + user + " cannot be made");
        }
        made.set(new FileAttributes(0750, USER_ID, USER_ID, Instant.now()));
      }
    }
  }

  private static void append(ForeignTree tree, String path, String line) throws IOException {
    List<String> lines = new ArrayList<>(lines(tree, path));
    String key = line.substring(0, line.indexOf(':') + 1);
    lines.removeIf(existing -> existing.startsWith(key));
    lines.add(line);
    int mode = path.equals("/etc/shadow") ? 0640 : 0644;
    byte[] content = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.ISO_8859_1);
    write(tree, path, content, mode);
  }

  /** A file that a stranger may have made: nothing is too long. */
  private static List<String> lines(ForeignTree tree, String path) throws IOException {
    byte[] content = tree.read(path, MOST_BYTES + 1);
    if (content == null) {
      return List.of();
    }
    if (content.length > MOST_BYTES) {
      throw new IOException(path + " is larger than " + MOST_BYTES + " bytes");
    }
    return new String(content, StandardCharsets.ISO_8859_1).lines().toList();
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

  private static void write(ForeignTree tree, String path, String content, int mode)
      throws IOException {
    write(tree, path, content.getBytes(StandardCharsets.UTF_8), mode);
  }

  private static void write(ForeignTree tree, String path, byte[] content, int mode)
      throws IOException {
    tree.write(NameText.of(path), content, mode);
  }
}
