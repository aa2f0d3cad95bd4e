package dev.atoll.engine.cache;

import dev.atoll.engine.files.FileTrouble;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's cache of packages. Programs in guests reach it as the host {@link #HOST}, which
 * exists nowhere else: a connection to it ends here and is never dialled.
 */
public final class PackageCache {
  private static final Logger LOG = LoggerFactory.getLogger(PackageCache.class);

  /** Its name inside sandboxes. */
  public static final String HOST = "packages.atoll.internal";

  /** Where it is served; in the clear, since nothing leaves this machine. */
  public static final int PORT = 80;

  private final CacheFolder folder;
  private final Counts counts = new Counts();
  private final PipIndex pip;
  private final NpmRegistry npm;
  private final AptArchives apt;
  private final MavenRepository maven;
  private final GoModules go;
  private final CargoIndex cargo;

  /** A cache in a folder of its own, which asks the registries that it is told. */
  public PackageCache(PackageSettings settings, Path folder, Upstreams upstreams) {
    this(settings, folder, upstreams, new RegistryClient(upstreams.way()));
  }

  PackageCache(PackageSettings settings, Path folder, Upstreams upstreams, Fetcher fetcher) {
    try {
      this.folder = new CacheFolder(folder, settings.maxBytes());
    } catch (IOException e) {
      throw new UncheckedIOException("the package cache cannot be opened", e);
    }
    Pages pages = new Pages(this.folder, fetcher, settings.pageAge(), counts);
    PackageFiles files = new PackageFiles(this.folder, fetcher, counts);
    this.pip = new PipIndex(upstreams, pages, files);
    this.npm =
        new NpmRegistry(
            "http://" + HOST + "/npm/", upstreams, pages, files, new NpmQuestions(fetcher, counts));
    this.apt = new AptArchives(upstreams, pages, files, new AptLists(this.folder));
    this.maven = new MavenRepository(upstreams, pages, files);
    this.go = new GoModules(upstreams, pages, files);
    this.cargo = new CargoIndex("http://" + HOST + "/cargo/", upstreams, pages, files);
  }

  /** Whether this is the cache's own address. */
  public static boolean is(String host, int port) {
    return host.equals(HOST) && (port == PORT || port == 0);
  }

  /** Is told why a package could not be served, since managers in guests tell little of it. */
  public interface TroubleListener {
    void trouble(ErrorCode code, String message);
  }

  /** Answers a program's requests on a connection until it has no more. */
  public void serve(InputStream in, OutputStream out, TroubleListener listener) throws IOException {
    new CacheConnection(in, out, counts).run(this::answer, failure -> failed(failure, listener));
  }

  /** Notes a failure and says it in an answer. */
  private Answer failed(IOException failure, TroubleListener listener) {
    counts.failure();
    boolean full = FileTrouble.isFull(failure);
    String why = (full ? "the server has no room for it: " : "") + failure.getMessage();
    LOG.info("a package could not be served: {}", failure.toString());
    ErrorCode code =
        failure instanceof CorruptException
            ? ErrorCode.PACKAGE_CORRUPT
            : full ? ErrorCode.STORAGE_FULL : ErrorCode.REGISTRY_UNREACHABLE;
    listener.trouble(code, why);
    return Answer.text(full ? 507 : 504, code.wire() + ": " + why);
  }

  Answer answer(CacheRequest request) throws IOException {
    boolean sent = request.method().equals("POST") && request.body() != null;
    if (!request.method().equals("GET") && !request.isHead() && !sent) {
      return Answer.text(405, "this cache of packages can only be read");
    }
    if (!request.authority().isEmpty()) {
      return apt.answer(request.authority(), request.path());
    }
    List<String> path = Arrays.asList(request.path().split("/", -1));
    String first = path.size() < 2 ? "" : path.get(1);
    String rest = path.size() < 3 ? "" : request.path().substring(first.length() + 2);
    return switch (first) {
      case "pip" -> pip.answer(path.subList(2, path.size()));
      case "npm" -> npm.answer(rest, request);
      case "maven" -> maven.answer(path.subList(2, path.size()));
      case "go" -> go.answer(rest);
      case "cargo" -> cargo.answer(rest);
      default ->
          Answer.missing("such page; there are /pip/simple/, /npm/, /maven/, /go/ and /cargo/");
    };
  }

  public Counts counts() {
    return counts;
  }

  /** How much is kept. */
  public long bytes() {
    return folder.bytes();
  }
}
