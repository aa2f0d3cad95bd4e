package dev.atoll.engine.files;

import com.github.luben.zstd.ZstdInputStream;
import com.github.luben.zstd.ZstdOutputStream;
import dev.atoll.engine.file.GuestProgram;
import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.image.Unpacker;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a guest's file system has beyond its template, in a folder of the host:
 *
 * <pre>
 * changes.tar.zst   what was added or changed, made inside the guest
 * removed.list      absolute paths of what is no more, each ending with NUL
 * linked.list       owner, mode and path of files with several names
 * </pre>
 *
 * The guest goes on while it is packed; what changes meanwhile is packed as it is found. Sockets
 * and devices are left out. Where the template does not allow root, the default user packs and
 * unpacks what it may.
 */
public final class FileLayer {
  private static final Logger LOG = LoggerFactory.getLogger(FileLayer.class);
  private static final String CHANGES = "changes.tar.zst";
  private static final String REMOVED = "removed.list";
  private static final String CHANGED = "changed.list";
  private static final String LINKED = "linked.list";
  private static final Duration LIMIT = Duration.ofHours(6);
  private static final int LEVEL = 3;

  private static final List<String> EXTRACT =
      List.of(
          "/usr/bin/tar",
          "--extract",
          "--file=-",
          "--directory=/",
          "--numeric-owner",
          "--same-permissions",
          "--delay-directory-restore");
  private static final List<String> REMOVE =
      List.of("/usr/bin/xargs", "-0", "-r", "/usr/bin/rm", "-rf", "--");

  private FileLayer() {}

  /** Packs with at most half of the host's free space. */
  public static long pack(Guest guest, Path rootfs, Path targetDirectory) {
    return pack(guest, rootfs, targetDirectory, halfOfFree(targetDirectory));
  }

  /**
   * Packs what the guest has changed, by programs of its system.
   *
   * @param rootfs the root file system of the guest's template
   * @param targetDirectory made if it is not there; of no use when this fails
   * @param most bytes that may be written
   * @return how many bytes were written, all of which are on disk
   */
  public static long pack(Guest guest, Path rootfs, Path targetDirectory, long most) {
    return pack(guest, FileTools.SYSTEM, rootfs, targetDirectory, new Bounds(most, Long.MAX_VALUE));
  }

  /**
   * The same by the guest's agent, which must be that of this server, whatever else the guest has.
   *
   * @param most bytes that the archive may have before it is compressed, with all holes of files
   */
  public static long packByAgent(Guest guest, Path rootfs, Path targetDirectory, long most) {
    Bounds bounds = new Bounds(halfOfFree(targetDirectory), most);
    return pack(guest, FileTools.AGENT, rootfs, targetDirectory, bounds);
  }

  /** How many bytes may be written, and how many may have come from the guest for that. */
  private record Bounds(long written, long archive) {}

  private static long halfOfFree(Path targetDirectory) {
    try {
      Files.createDirectories(targetDirectory);
      return Files.getFileStore(targetDirectory).getUsableSpace() / 2;
    } catch (IOException e) {
      throw unwritable(targetDirectory, e);
    }
  }

  private static long pack(
      Guest guest, FileTools tools, Path rootfs, Path targetDirectory, Bounds bounds) {
    Path list = targetDirectory.resolve(CHANGED);
    long bytes;
    try {
      Files.createDirectories(targetDirectory);
      bytes = scan(guest, tools, rootfs, targetDirectory, bounds.written());
      bytes += archive(guest, tools, list, targetDirectory.resolve(CHANGES), bounds);
    } catch (IOException e) {
      throw FileTrouble.of("the files of the sandbox could not be packed", e);
    }
    try {
      Files.delete(list);
      sync(targetDirectory);
      return bytes;
    } catch (IOException e) {
      throw unwritable(targetDirectory, e);
    }
  }

  private static long scan(Guest guest, FileTools tools, Path rootfs, Path target, long most)
      throws IOException {
    try (OutputStream removed = list(target.resolve(REMOVED), most);
        OutputStream linked = list(target.resolve(LINKED), most);
        OutputStream changed = list(target.resolve(CHANGED), most)) {
      new LayerScan(rootfs, changed, removed, linked).run(guest, tools);
    }
    return Files.size(target.resolve(REMOVED)) + Files.size(target.resolve(LINKED));
  }

  private static OutputStream list(Path file, long most) throws IOException {
    return new BufferedOutputStream(new BoundedFile(file, most));
  }

  private static long archive(Guest guest, FileTools tools, Path list, Path target, Bounds bounds)
      throws IOException {
    try (BoundedFile file = new BoundedFile(target, bounds.written());
        GuestProgram tar =
            GuestProgram.start(guest, tools.pack(), code -> code == 0 || code == 1, LIMIT)) {
      tar.feed(Files.newInputStream(list));
      try (ZstdOutputStream compressed = new ZstdOutputStream(file, LEVEL)) {
        compressed.setChecksum(true);
        copy(tar.output(), compressed, bounds.archive());
      }
      if (!tar.errors().isEmpty()) {
        LOG.warn("while packing files of a sandbox: {}", tar.errors());
      }
      return file.written();
    }
  }

  private static void copy(InputStream archive, OutputStream target, long most) throws IOException {
    byte[] buffer = new byte[1 << 16];
    long left = most;
    for (int n = archive.read(buffer); n >= 0; n = archive.read(buffer)) {
      left -= n;
      if (left < 0) {
        throw BoundedFile.tooLarge(most);
      }
      target.write(buffer, 0, n);
    }
  }

  /**
   * Brings a fresh sandbox of the same template to the state of a layer: owners (where the template
   * allows root), permissions, times, symbolic and hard links are as they were.
   */
  public static void unpack(Path directory, Guest guest) {
    try {
      feed(guest, REMOVE, Files.newInputStream(directory.resolve(REMOVED)));
      feed(guest, EXTRACT, new ZstdInputStream(Files.newInputStream(directory.resolve(CHANGES))));
      LinkedFiles.restore(directory.resolve(LINKED), guest);
    } catch (IOException e) {
      throw FileTrouble.of("the files could not be unpacked in the sandbox", e);
    }
  }

  /**
   * Brings the root file system that a layer was packed on to the layer's state, on the host. What
   * the guest wrote is taken for what a stranger wrote.
   *
   * @param most bytes that the files of the layer may have
   * @param started is given the process that does it, to end it if need be
   */
  public static void apply(
      Path directory, Path rootfs, long most, Unpacker unpacker, Consumer<Process> started)
      throws IOException {
    unpacker.run(
        rootfs,
        most,
        List.of(
            new Unpacker.Step(Unpacker.Kind.REMOVALS, directory.resolve(REMOVED)),
            new Unpacker.Step(Unpacker.Kind.ARCHIVE, directory.resolve(CHANGES))),
        started);
  }

  private static void feed(Guest guest, List<String> argv, InputStream input) throws IOException {
    try (GuestProgram program = GuestProgram.start(guest, argv, code -> code == 0, LIMIT)) {
      program.feed(input);
      program.finish();
    } catch (RuntimeException e) {
      input.close();
      throw e;
    }
  }

  private static void sync(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private static AtollException unwritable(Path directory, IOException e) {
    return new AtollException(
        ErrorCode.INTERNAL,
        "cannot write " + directory + ": " + e.getMessage(),
        "check that the data directory is writable and has room",
        Map.of(),
        e);
  }
}
