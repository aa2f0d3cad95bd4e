package dev.atoll.engine.template;

import dev.atoll.driver.Checkpoint;
import dev.atoll.driver.Driver;
import dev.atoll.driver.Machine;
import dev.atoll.driver.MachineLimits;
import dev.atoll.driver.MachineSpec;
import dev.atoll.engine.guest.Guest;
import dev.atoll.model.AtollException;
import dev.atoll.model.DriverReport;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Json;
import dev.atoll.protocol.wire.Hello;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Builds templates below a folder:
 *
 * <pre>
 * base-DIGEST/                 Debian with its packages; shared by all templates with the same ones
 * archive-DIGEST/              a package of npm's registry, unpacked; shared likewise
 * DIGEST/rootfs/               hard links to the base, and Atoll's own files
 * DIGEST/checkpoint-DRIVER-V/  a machine of it, booted and waiting for Thaw
 * </pre>
 *
 * Each appears under its name only when it is complete.
 */
public final class TemplateBuilder {
  private static final String FORMAT = "3";
  private static final String BASE_FORMAT = "1";
  private static final int OLDEST_GENERATION = 1;
  private static final int NEWEST_GENERATION = 2;
  private static final Duration BOOT_DEADLINE = Duration.ofMinutes(3);
  private static final Duration PRELOAD_DEADLINE = Duration.ofMinutes(10);
  private static final MachineLimits BOOT_LIMITS = new MachineLimits(2, 1L << 30, 1L << 30, 512);
  private static final List<String> LEFT_OUT =
      List.of("/usr/share/man/*", "/usr/share/doc/*", "/usr/share/info/*", "/usr/share/locale/*");

  private final Path folder;

  public TemplateBuilder(Path folder) {
    this.folder = folder;
  }

  /** A template ready to start sandboxes from. */
  public record Template(Recipe recipe, String digest, Path rootfs, Checkpoint checkpoint) {}

  /** The digest of everything that the template is built from. */
  public String digest(Recipe recipe) {
    MessageDigest sha = sha256();
    update(sha, FORMAT);
    update(sha, canonical(recipe));
    GuestFiles.all()
        .forEach(
            (path, content) -> {
              update(sha, path);
              sha.update(content);
            });
    return HexFormat.of().formatHex(sha.digest());
  }

  private static String canonical(Recipe recipe) {
    Map<String, Object> fields = new TreeMap<>();
    fields.put("suite", recipe.suite());
    fields.put("packages", new TreeSet<>(recipe.packages()));
    fields.put("archives", recipe.archives());
    fields.put("user", recipe.user());
    fields.put("allow-root", recipe.allowRoot());
    fields.put("env", new TreeMap<>(recipe.env()));
    fields.put("files", recipe.files());
    fields.put("kernels", new TreeMap<>(recipe.kernels()));
    fields.put("languages", new TreeMap<>(recipe.languages()));
    fields.put("spare", String.valueOf(recipe.spare()));
    fields.put("start", recipe.start());
    if (!recipe.preload().isEmpty()) {
      fields.put("preload", recipe.preload());
    }
    return Json.lenient().writeValueAsString(fields);
  }

  /** Whether nothing is left to do for this template and driver. */
  public boolean isBuilt(String digest, Driver driver) {
    return Files.isDirectory(checkpointDirectory(digest, driver));
  }

  /**
   * Builds what is missing. Two builds of the same template at once must be kept apart by the
   * caller.
   */
  public Template build(Recipe recipe, Driver driver, Consumer<String> progress) {
    String digest = digest(recipe);
    Path rootfs = rootfs(digest);
    Path checkpoint = checkpointDirectory(digest, driver);
    try {
      if (!Files.isDirectory(rootfs)) {
        assemble(recipe, base(recipe, progress), rootfs, progress);
      }
      if (!Files.isDirectory(checkpoint)) {
        progress.accept("booting " + recipe.name() + " once and taking its checkpoint");
        checkpoint(recipe, digest, rootfs, driver, checkpoint);
      }
    } catch (IOException e) {
      throw new AtollException(
          ErrorCode.TEMPLATE_BUILD_FAILED,
          "template " + recipe.name() + ": " + e.getMessage(),
          "check that the data directory is writable and has room",
          Map.of(),
          e);
    }
    return new Template(recipe, digest, rootfs, new Checkpoint(checkpoint, rootfs));
  }

  /** Where the root file system of a digest is or would be. */
  public Path rootfs(String digest) {
    return folder.resolve(digest).resolve("rootfs");
  }

  /** The first state of a template that has been built. */
  public Optional<Checkpoint> checkpoint(String digest, Driver driver) {
    Path directory = checkpointDirectory(digest, driver);
    return Files.isDirectory(directory)
        ? Optional.of(new Checkpoint(directory, rootfs(digest)))
        : Optional.empty();
  }

  private Path checkpointDirectory(String digest, Driver driver) {
    DriverReport report = driver.probe();
    String version = report.version().replaceAll("[^a-zA-Z0-9.]", "-");
    return folder.resolve(digest).resolve("checkpoint-" + driver.name() + "-" + version);
  }

  private Path base(Recipe recipe, Consumer<String> progress) throws IOException {
    MessageDigest sha = sha256();
    update(sha, BASE_FORMAT);
    update(sha, recipe.suite());
    new TreeSet<>(recipe.packages()).forEach(p -> update(sha, p));
    String digest = HexFormat.of().formatHex(sha.digest()).substring(0, 16);
    Path base = folder.resolve("base-" + digest);
    if (Files.isDirectory(base)) {
      return base;
    }
    Path aside = aside();
    progress.accept(
        "building Debian "
            + recipe.suite()
            + " with "
            + recipe.packages().size()
            + " packages (a minute or two, once)");
    List<String> command =
        new ArrayList<>(List.of("mmdebstrap", "--variant=apt", "--format=directory"));
    command.add("--include=" + String.join(",", recipe.packages()));
    LEFT_OUT.forEach(path -> command.add("--dpkgopt=path-exclude=" + path));
    // Java's packages put links to their manual there and fail if they cannot.
    command.add("--essential-hook=mkdir -p \"$1/usr/share/man/man1\"");
    // Without a mirror mmdebstrap takes the suite's usual one.
    command.add(recipe.suite());
    command.add(aside.resolve("root").toString());
    HostCommand.run(
        command,
        line -> {
          if (line.startsWith("I: ")) {
            progress.accept(line.substring(3));
          }
        });
    Files.move(aside.resolve("root"), base, StandardCopyOption.ATOMIC_MOVE);
    deleteTree(aside);
    return base;
  }

  private void assemble(Recipe recipe, Path base, Path rootfs, Consumer<String> progress)
      throws IOException {
    progress.accept("adding the agent and the kernels");
    Path aside = aside();
    Path root = aside.resolve("rootfs");
    HostCommand.run(List.of("cp", "-al", base.toString(), root.toString()), line -> {});
    RootFileSystem files = new RootFileSystem(root);
    Archives archives = new Archives(folder);
    for (RecipeArchive archive : recipe.archives()) {
      archives.add(archive, files, aside, progress);
    }
    files.finish(recipe, GuestFiles.all());
    Files.createDirectories(rootfs.getParent());
    Files.move(root, rootfs, StandardCopyOption.ATOMIC_MOVE);
    deleteTree(aside);
  }

  private void checkpoint(Recipe recipe, String digest, Path rootfs, Driver driver, Path target)
      throws IOException {
    Path aside = aside();
    Path directory = Files.createDirectory(aside.resolve("machine"));
    String id = "tpl-" + digest.substring(0, 12) + "-" + Long.toString(System.nanoTime(), 36);
    try (Machine machine = driver.boot(new MachineSpec(id, directory, rootfs, BOOT_LIMITS))) {
      Guest guest = new Guest(machine.stream(), loss -> {});
      guest.start(id);
      // Large libraries take their time on a slow machine.
      Hello hello = guest.hello(recipe.preload().isEmpty() ? BOOT_DEADLINE : PRELOAD_DEADLINE);
      if (hello.getGeneration() < OLDEST_GENERATION || hello.getGeneration() > NEWEST_GENERATION) {
        throw new AtollException(
            ErrorCode.TEMPLATE_BUILD_FAILED, "agent of generation " + hello.getGeneration());
      }
      guest.quiesce(BOOT_DEADLINE);
      machine.checkpoint(target, false);
    } finally {
      deleteTree(aside);
    }
  }

  private Path aside() throws IOException {
    Files.createDirectories(folder);
    return Files.createTempDirectory(folder, ".building-");
  }

  /** Removes what builds that were cut off have left. */
  public List<String> sweep() throws IOException {
    List<String> removed = new ArrayList<>();
    if (!Files.isDirectory(folder)) {
      return removed;
    }
    try (Stream<Path> entries = Files.list(folder)) {
      for (Path entry :
          entries.filter(p -> p.getFileName().toString().startsWith(".building-")).toList()) {
        deleteTree(entry);
        removed.add("unfinished template build " + entry.getFileName());
      }
    }
    return removed;
  }

  /**
   * Removes a tree by a program of the host, which is far faster than the JDK at this; never
   * follows symbolic links.
   */
  private static void deleteTree(Path tree) {
    HostCommand.run(List.of("rm", "-rf", "--one-file-system", "--", tree.toString()), line -> {});
  }

  private static void update(MessageDigest sha, String text) {
    sha.update(text.getBytes(StandardCharsets.UTF_8));
    sha.update((byte) 0);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
