package dev.atoll.sdk;

import dev.atoll.model.FileEntry;
import dev.atoll.model.FileList;
import dev.atoll.model.FileUrl;
import dev.atoll.model.FileUrlMethod;
import dev.atoll.model.FileUrlRequest;
import dev.atoll.model.MoveRequest;
import dev.atoll.sdk.transport.HttpAnswer;
import dev.atoll.sdk.transport.HttpBody;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The files of a sandbox. Paths are absolute, or relative to the home of the sandbox's user.
 *
 * <p>Streams, files and directories of any size pass in flat memory. Failures on this machine's
 * side are {@link UncheckedIOException}s.
 */
public final class SandboxFiles {
  private static final Duration TRANSFER_TIME = Duration.ofHours(12);
  private static final String BYTES = "application/octet-stream";
  private static final String TAR = "application/x-tar";

  private final Api api;
  private final String path;

  SandboxFiles(Api api, String sandboxPath) {
    this.api = api;
    this.path = sandboxPath + "/files";
  }

  /** The content of a file as UTF-8 text. */
  public String readText(String file) {
    return new String(readBytes(file), StandardCharsets.UTF_8);
  }

  /** The content of a file. */
  public byte[] readBytes(String file) {
    try (InputStream in = read(file)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The content of a file as a stream, which the caller closes. */
  public InputStream read(String file) {
    return stream(ApiRequest.get(path).query("path", file).accept(BYTES));
  }

  /** Writes text as UTF-8; directories on the way are made. */
  public FileEntry write(String file, String text) {
    return write(file, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Writes bytes; directories on the way are made. */
  public FileEntry write(String file, byte[] bytes) {
    return write(file, HttpBody.of(bytes), options -> {});
  }

  /** Writes a stream to its end, without closing it; directories on the way are made. */
  public FileEntry write(String file, InputStream content) {
    return write(file, HttpBody.of(new Unclosed(content)), options -> {});
  }

  /** Writes with options: {@code write("run.sh", bytes, w -> w.mode("0755"))}. */
  public FileEntry write(String file, HttpBody content, Consumer<WriteOptions> options) {
    WriteOptions chosen = new WriteOptions();
    options.accept(chosen);
    ApiRequest request =
        chosen
            .apply(ApiRequest.put(path).query("path", file))
            .bytes(content, BYTES)
            .timeout(TRANSFER_TIME);
    return api.call(request, FileEntry.class);
  }

  /** Copies a file of this machine into the sandbox. */
  public FileEntry upload(Path from, String to) {
    return write(to, HttpBody.of(from), options -> {});
  }

  /** Copies a file of the sandbox to this machine; a file that is there is replaced. */
  public void download(String from, Path to) {
    try (InputStream in = read(from)) {
      Files.copy(in, to, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Copies what is in a directory of this machine into one of the sandbox. */
  public void uploadDirectory(Path from, String to) {
    try (InputStream tar = TarSource.of(from)) {
      writeTar(to, tar);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Copies what is in a directory of the sandbox into one of this machine. Nothing is written
   * outside of it, whatever the sandbox sends: links that lead out and special files are left out.
   *
   * @return how many entries were left out
   */
  public int downloadDirectory(String from, Path to) {
    try (InputStream tar = readTar(from)) {
      return new TarExtraction(to).extract(tar);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A directory's content as a tar stream, which the caller closes. */
  public InputStream readTar(String directory) {
    return stream(ApiRequest.get(path + "/tar").query("path", directory).accept(TAR));
  }

  /** Unpacks a tar stream into a directory, which is made if it is absent. */
  public void writeTar(String directory, InputStream tar) {
    api.send(
        ApiRequest.put(path + "/tar")
            .query("path", directory)
            .bytes(HttpBody.of(new Unclosed(tar)), TAR)
            .timeout(TRANSFER_TIME));
  }

  /** What is in a directory. */
  public FileList list(String directory) {
    return list(directory, 1, 1000);
  }

  /** What is in a directory and those below it, to a depth and a number of entries. */
  public FileList list(String directory, int depth, int limit) {
    return api.call(
        ApiRequest.get(path + "/list")
            .query("path", directory)
            .query("depth", depth)
            .query("limit", limit),
        FileList.class);
  }

  /**
   * What is at a path.
   *
   * @throws NotFoundException if nothing is
   */
  public FileEntry stat(String file) {
    return api.call(ApiRequest.get(path + "/stat").query("path", file), FileEntry.class);
  }

  /** Whether something is at a path. */
  public boolean exists(String file) {
    try {
      stat(file);
      return true;
    } catch (SandboxNotFoundException e) {
      throw e;
    } catch (NotFoundException e) {
      return false;
    }
  }

  /** Makes a directory and those on the way to it. */
  public FileEntry makeDirectory(String directory) {
    return api.call(
        ApiRequest.post(path + "/directory").query("path", directory).query("parents", true),
        FileEntry.class);
  }

  /** Gives something another path; what is there already is not replaced. */
  public FileEntry move(String from, String to) {
    return move(new MoveRequest(from, to, false));
  }

  /** Gives something another path. */
  public FileEntry move(MoveRequest request) {
    return api.call(ApiRequest.post(path + "/move").json(request), FileEntry.class);
  }

  /** Removes a file or an empty directory. */
  public void remove(String file) {
    api.send(ApiRequest.delete(path).query("path", file).query("recursive", false));
  }

  /** Removes a directory with everything in it. */
  public void removeTree(String directory) {
    api.send(ApiRequest.delete(path).query("path", directory).query("recursive", true));
  }

  /** Watches a directory and those below it; what changes after this returns is seen. */
  public FileWatch watch(String directory) {
    return watch(directory, true);
  }

  /** Watches a directory, and those below it if it is recursive. */
  public FileWatch watch(String directory, boolean recursive) {
    return new FileWatch(api, path + "/watch", directory, recursive);
  }

  /**
   * A URL by which others read a file without a key, with curl or a browser, until it expires. It
   * is worth nothing any more when the sandbox ends or is rewound, and after {@link #revokeUrls}.
   *
   * @param validFor a second to a week
   */
  public FileUrl downloadUrl(String file, Duration validFor) {
    return url(new FileUrlRequest(FileUrlMethod.GET, file, Seconds.of(validFor), null));
  }

  /**
   * A URL by which others write a file without a key, with PUT or POST, as often as they like until
   * it expires; see {@link #downloadUrl}.
   */
  public FileUrl uploadUrl(String file, Duration validFor) {
    return url(new FileUrlRequest(FileUrlMethod.PUT, file, Seconds.of(validFor), null));
  }

  /** The same for files that are no larger than that. */
  public FileUrl uploadUrl(String file, Duration validFor, long maxBytes) {
    return url(new FileUrlRequest(FileUrlMethod.PUT, file, Seconds.of(validFor), maxBytes));
  }

  private FileUrl url(FileUrlRequest request) {
    return api.call(ApiRequest.post(path + "/urls").json(request), FileUrl.class);
  }

  /** Makes all URLs of this sandbox's files worthless. */
  public void revokeUrls() {
    api.send(ApiRequest.delete(path + "/urls"));
  }

  private InputStream stream(ApiRequest request) {
    HttpAnswer answer = api.open(request.timeout(Duration.ofMinutes(5)));
    return new FilterInputStream(answer.body()) {
      @Override
      public void close() {
        answer.close();
      }
    };
  }
}
