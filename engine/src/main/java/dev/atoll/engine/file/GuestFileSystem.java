package dev.atoll.engine.file;

import dev.atoll.engine.FileContent;
import dev.atoll.engine.FileWatch;
import dev.atoll.engine.WriteOptions;
import dev.atoll.engine.guest.Guest;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.FileEntry;
import dev.atoll.model.FileList;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.wire.Entry;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.List;
import dev.atoll.protocol.wire.MakeDir;
import dev.atoll.protocol.wire.Move;
import dev.atoll.protocol.wire.ReadFile;
import dev.atoll.protocol.wire.Remove;
import dev.atoll.protocol.wire.Start;
import dev.atoll.protocol.wire.Stat;
import dev.atoll.protocol.wire.Stream;
import dev.atoll.protocol.wire.Watch;
import dev.atoll.protocol.wire.WriteFile;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;

/** The files of one guest, as one of its users sees them. */
public final class GuestFileSystem {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final int MOST_SAID = 500;

  private final Guest guest;
  private final String user;

  /** As the guest's default user sees them. */
  public GuestFileSystem(Guest guest) {
    this(guest, "");
  }

  /** As a user sees them who may read, which is all that this user is for. */
  public GuestFileSystem(Guest guest, String user) {
    this.guest = guest;
    this.user = user;
  }

  public FileEntry stat(String path) {
    try (Transfer transfer =
        ask(path, Frame.newBuilder().setStat(Stat.newBuilder().setPath(checked(path))))) {
      Entry entry = transfer.expect(Frame.BodyCase.ENTRY, PATIENCE).getEntry();
      transfer.finished();
      return Entries.of(entry);
    }
  }

  public FileList list(String path, int depth, int limit) {
    List.Builder list = List.newBuilder().setPath(checked(path)).setDepth(depth).setMax(limit);
    try (Transfer transfer = ask(path, Frame.newBuilder().setList(list))) {
      java.util.List<FileEntry> entries = new ArrayList<>();
      boolean truncated = false;
      long frames = 0;
      for (Frame frame = transfer.next(LONG); !frame.hasEof(); frame = transfer.next(LONG)) {
        truncated |= frame.getEntries().getTruncated();
        // No honest one needs more frames than entries, and a last one to say that it was cut.
        if (++frames > limit + 1L) {
          return new FileList(entries, true);
        }
        for (Entry entry : frame.getEntries().getEntriesList()) {
          // A guest that sends more than was asked for is cut, not believed.
          if (entries.size() < limit) {
            entries.add(Entries.of(entry));
          }
        }
      }
      transfer.finished();
      return new FileList(entries, truncated);
    }
  }

  /** Reads from an offset; length 0 means to the end. */
  public FileContent read(String path, long offset, long length) {
    ReadFile.Builder read =
        ReadFile.newBuilder()
            .setPath(checked(path))
            .setOffset(offset)
            .setLength(length)
            .setUser(user);
    Transfer transfer = ask(path, Frame.newBuilder().setReadFile(read));
    try {
      FileEntry entry = Entries.of(transfer.expect(Frame.BodyCase.ENTRY, PATIENCE).getEntry());
      return new OpenFile(entry, new TransferStream(transfer, Stream.BYTES));
    } catch (RuntimeException e) {
      transfer.close();
      throw e;
    }
  }

  private record OpenFile(FileEntry entry, InputStream stream) implements FileContent {
    @Override
    public void close() {
      try {
        stream.close();
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
  }

  public FileEntry write(String path, InputStream content, WriteOptions options)
      throws IOException {
    WriteFile.Builder write =
        WriteFile.newBuilder()
            .setPath(checked(path))
            .setMode(options.mode())
            .setParents(options.parents())
            .setAppend(options.append());
    try (Transfer transfer = ask(path, Frame.newBuilder().setWriteFile(write))) {
      send(transfer, Stream.BYTES, content);
      transfer.expect(Frame.BodyCase.WRITTEN, LONG);
      transfer.finished();
    }
    return stat(path);
  }

  /**
   * Sends all of a stream; stops early when the guest has already said no, which the next answer
   * tells.
   */
  private static void send(Transfer transfer, Stream stream, InputStream content)
      throws IOException {
    byte[] buffer = new byte[FrameCodec.MAX_DATA];
    for (int n = content.readNBytes(buffer, 0, buffer.length);
        n > 0 && !transfer.isOver();
        n = content.readNBytes(buffer, 0, buffer.length)) {
      try {
        transfer.channel().sendData(stream, buffer, 0, n, LONG);
      } catch (AtollException e) {
        if (!transfer.isOver()) {
          throw e;
        }
      }
    }
    if (!transfer.isOver()) {
      transfer.channel().sendEof(stream);
    }
  }

  public FileEntry makeDirectory(String path, boolean parents) {
    simple(
        path,
        Frame.newBuilder()
            .setMakeDir(MakeDir.newBuilder().setPath(checked(path)).setParents(parents)));
    return stat(path);
  }

  public FileEntry move(String from, String to, boolean overwrite) {
    simple(
        from,
        Frame.newBuilder()
            .setMove(
                Move.newBuilder()
                    .setFrom(checked(from))
                    .setTo(checked(to))
                    .setOverwrite(overwrite)));
    return stat(to);
  }

  public void remove(String path, boolean recursive) {
    simple(
        path,
        Frame.newBuilder()
            .setRemove(Remove.newBuilder().setPath(checked(path)).setRecursive(recursive)));
  }

  private void simple(String path, Frame.Builder question) {
    try (Transfer transfer = ask(path, question)) {
      transfer.expect(Frame.BodyCase.OK, LONG);
      transfer.finished();
    }
  }

  public FileWatch watch(String path, boolean recursive) {
    Transfer transfer =
        ask(
            path,
            Frame.newBuilder()
                .setWatch(Watch.newBuilder().setPath(checked(path)).setRecursive(recursive)));
    try {
      transfer.next(PATIENCE);
      return new WatchEvents(transfer);
    } catch (RuntimeException e) {
      transfer.close();
      throw e;
    }
  }

  /** The content of a directory as a tar archive, made by the guest's own tar. */
  public InputStream readTar(String path) {
    Transfer transfer = ask(path, tar("--create", "--directory=" + checked(path), "--file=-", "."));
    try {
      transfer.next(PATIENCE);
      return new TransferStream(transfer, Stream.STDOUT);
    } catch (RuntimeException e) {
      transfer.close();
      throw e;
    }
  }

  /** Unpacks a tar archive below a directory, which is made if it is not there. */
  public void writeTar(String path, InputStream archive) throws IOException {
    simple(
        path,
        Frame.newBuilder()
            .setMakeDir(MakeDir.newBuilder().setPath(checked(path)).setParents(true)));
    try (Transfer transfer =
        ask(path, tar("--extract", "--directory=" + path, "--file=-", "--no-same-owner"))) {
      transfer.next(PATIENCE);
      try {
        send(transfer, Stream.STDIN, archive);
      } catch (AtollException e) {
        if (e.code() != ErrorCode.CONFLICT) {
          throw e;
        }
      }
      try (TransferStream rest = new TransferStream(transfer, Stream.STDOUT)) {
        rest.transferTo(java.io.OutputStream.nullOutputStream());
      } catch (IOException e) {
        throw new AtollException(
            ErrorCode.INVALID_ARGUMENT,
            "the archive could not be unpacked: " + brief(String.valueOf(e.getMessage())),
            "send an uncompressed tar archive",
            Map.of(),
            e);
      }
    }
  }

  /** A guest's tar repeats names, which may be long. */
  private static String brief(String said) {
    return said.length() <= MOST_SAID ? said : said.substring(0, MOST_SAID) + "…";
  }

  private static Frame.Builder tar(String... arguments) {
    return Frame.newBuilder()
        .setStart(
            Start.newBuilder()
                .addArgv("tar")
                .addAllArgv(java.util.List.of(arguments))
                .setStdin(true));
  }

  private Transfer ask(String path, Frame.Builder question) {
    return new Transfer(guest, path, question);
  }

  private static String checked(String path) {
    if (path.isEmpty() || path.length() > 4095 || path.indexOf(0) >= 0) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT,
          "a path must have 1 to 4095 characters and no NUL",
          null,
          Map.of("field", "path"),
          null);
    }
    return path;
  }
}
