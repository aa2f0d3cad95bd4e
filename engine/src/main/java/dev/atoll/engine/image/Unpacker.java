package dev.atoll.engine.image;

import com.github.luben.zstd.ZstdInputStream;
import dev.atoll.engine.jail.Jailer;
import dev.atoll.engine.jail.World;
import dev.atoll.model.AtollException;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.io.IOUtils;
import org.apache.commons.lang3.ArrayUtils;

/**
 * Has an {@link UnpackProgram} lay what strangers wrote over trees: a process in a world of its
 * own, in which there are the tree, the archives and the program, with bounded memory and time.
 * Whatever an archive makes of that process, the host is out of its reach.
 */
public final class Unpacker {
  private static final String TREE = "/tree";
  private static final String ARCHIVES = "/archives/";
  private static final String CLASSES = "/classes/";
  private static final long SCRATCH_BYTES = 32L << 20;

  /** The one who reads the entries knows how much room there is. */
  private static final long MOST_TREE_FILE = 1L << 50;

  private static final long MOST_SECONDS = 3600;
  private static final long MOST_FILES = 512;
  private static final long MOST_TASKS = 512;

  /** Bounded, and what goes beyond ends the program with a status of its own. */
  private static final List<String> OPTIONS =
      List.of(
          "-Xmx" + UnpackProcess.MEMORY_MIB + "m",
          "-XX:MaxDirectMemorySize=16m",
          "-XX:MaxMetaspaceSize=64m",
          "-XX:ReservedCodeCacheSize=32m",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-XX:-UsePerfData",
          "-XX:+ExitOnOutOfMemoryError",
          "--enable-native-access=ALL-UNNAMED");

  /** What there is to do with a file. */
  public enum Kind {
    /** An archive is laid over the tree. */
    ARCHIVE,
    /** The same with a layer of an image, in which some names say what is to be removed. */
    LAYER,
    /** A list of paths that are removed, each ending with a zero byte. */
    REMOVALS,
    /** The entries of an {@link Archive}, on standard input. */
    TREE
  }

  /** One thing to do to a tree. */
  public record Step(Kind kind, Path file) {}

  private final Jailer jailer;

  public Unpacker(Jailer jailer) {
    this.jailer = jailer;
  }

  /**
   * Does all steps to a tree, one after the other.
   *
   * @param mostBytes that all files may have together
   * @param started is given the process, to end it if need be
   */
  public void run(Path root, long mostBytes, List<Step> steps, Consumer<Process> started)
      throws IOException {
    List<UnpackRequest.Step> asked = new ArrayList<>();
    for (Step step : steps) {
      String file = jailer.confines() ? ARCHIVES + asked.size() : step.file().toString();
      asked.add(new UnpackRequest.Step(step.kind(), file));
    }
    try (UnpackProcess process = start(root, mostBytes, steps, asked)) {
      started.accept(process.process());
      process.input().close();
      process.finish();
    }
  }

  /** Begins to unpack a tree whose entries come one by one. */
  TreeTarget tree(Path root) throws IOException {
    UnpackRequest.Step step = new UnpackRequest.Step(Kind.TREE, "");
    return new TreeFeed(start(root, MOST_TREE_FILE, List.of(), List.of(step)));
  }

  private UnpackProcess start(
      Path root, long mostBytes, List<Step> files, List<UnpackRequest.Step> asked)
      throws IOException {
    Set<Path> classes = classes();
    UnpackProcess process = UnpackProcess.start(command(root, mostBytes, files, classes));
    boolean asking = true;
    try {
      String tree = jailer.confines() ? TREE : root.toAbsolutePath().toString();
      new UnpackRequest(tree, mostBytes, asked).write(new DataOutputStream(process.input()));
      asking = false;
      return process;
    } catch (IOException e) {
      // It has ended already, and says why.
      process.finish();
      throw e;
    } finally {
      if (asking) {
        process.close();
      }
    }
  }

  /**
   * Safe because all arguments are the server's own: what a stranger wrote is in files, whose names
   * are the server's too.
   */
  private List<String> command(Path root, long mostBytes, List<Step> files, Set<Path> classes)
      throws IOException {
    Path home = Path.of(System.getProperty("java.home")).toRealPath();
    List<String> java = new ArrayList<>();
    java.add(home.resolve("bin/java").toString());
    java.addAll(OPTIONS);
    java.add("-cp");
    if (!jailer.confines()) {
      java.add(classes.stream().map(Path::toString).collect(Collectors.joining(":")));
      java.add(UnpackProgram.class.getName());
      return java;
    }
    World world = jailer.world().libraries().readable(home);
    Path settings = home.resolve("conf").toRealPath();
    if (!settings.startsWith(home)) {
      world.readable(settings);
    }
    List<String> path = new ArrayList<>();
    for (Path one : classes) {
      String place = CLASSES + path.size() + (one.toString().endsWith(".jar") ? ".jar" : "");
      world.readable(one, place);
      path.add(place);
    }
    for (int i = 0; i < files.size(); i++) {
      world.readableMapped(files.get(i).file(), ARCHIVES + i);
    }
    world
        .workable(root, TREE)
        .memory("/tmp", SCRATCH_BYTES)
        .processesAndDevices()
        .limit("cpu", MOST_SECONDS)
        .limit("fsize", Math.max(mostBytes, SCRATCH_BYTES))
        .limit("nofile", MOST_FILES)
        .limit("nproc", MOST_TASKS);
    java.add(String.join(":", path));
    java.add(UnpackProgram.class.getName());
    return world.command(java);
  }

  /** Where the program and all that it needs are. */
  private static Set<Path> classes() throws IOException {
    Set<Path> found = new LinkedHashSet<>();
    for (Class<?> one :
        List.of(
            UnpackProgram.class,
            AtollException.class,
            TarArchiveInputStream.class,
            IOUtils.class,
            ArrayUtils.class,
            ZstdInputStream.class)) {
      CodeSource source = one.getProtectionDomain().getCodeSource();
      if (source == null) {
        throw new IOException("where " + one.getName() + " came from is not known");
      }
      try {
        found.add(Path.of(source.getLocation().toURI()));
      } catch (URISyntaxException e) {
        throw new IOException(e);
      }
    }
    return found;
  }
}
