package dev.atoll.build;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.inject.Named;
import javax.inject.Singleton;
import org.eclipse.aether.RepositorySystemSession;
import org.eclipse.aether.artifact.Artifact;
import org.eclipse.aether.repository.WorkspaceRepository;
import org.eclipse.aether.resolution.ArtifactResult;
import org.eclipse.aether.spi.resolution.ArtifactResolverPostProcessor;
import org.eclipse.aether.transfer.ChecksumFailureException;

/**
 * Lets Maven use only what {@code .mvn/checksums.sha256} names, and only if its bytes are those:
 * dependencies, plugins, what plugins depend on and fetch themselves, and the poms of all of them,
 * wherever they come from. Modules of this build are not looked at.
 *
 * <p>Maven's Resolver has such a check of its own, which cannot be used here: it also wants
 * checksums of the build's own modules, unless their versions are snapshots.
 *
 * <p>{@code ./mvnw} compiles this class and puts it on Maven's class path. Thread-safe: Maven
 * builds modules at the same time.
 */
@Named("atoll-lock")
@Singleton
public final class ArtifactLock implements ArtifactResolverPostProcessor {
  private final boolean recording = Boolean.getBoolean("atoll.lock.record");
  private final Path file = Path.of(System.getProperty("atoll.lock", ""));
  private final Map<String, String> lock = new ConcurrentSkipListMap<>();
  private final Map<Path, String> digests = new ConcurrentHashMap<>();

  /** Reads the lock; without one there is no build, but one that records may begin with none. */
  public ArtifactLock() throws IOException {
    if (!recording || Files.exists(file)) {
      try (Stream<String> lines = Files.lines(file)) {
        lock.putAll(lines.collect(Collectors.toMap(l -> l.substring(66), l -> l.substring(0, 64))));
      }
    }
    if (recording) {
      Runtime.getRuntime().addShutdownHook(new Thread(this::write));
    }
  }

  @Override
  public void postProcess(RepositorySystemSession session, List<ArtifactResult> results) {
    for (ArtifactResult result : results) {
      if (result.isResolved() && !(result.getRepository() instanceof WorkspaceRepository)) {
        check(session, result);
      }
    }
  }

  private void check(RepositorySystemSession session, ArtifactResult result) {
    Artifact artifact = result.getArtifact();
    String path = session.getLocalRepositoryManager().getPathForLocalArtifact(artifact);
    String digest = digests.computeIfAbsent(artifact.getFile().toPath(), ArtifactLock::digest);
    if (recording) {
      lock.put(path, digest);
      return;
    }
    String expected = lock.get(path);
    if (!digest.equals(expected)) {
      String trouble =
          expected == null
              ? "is not in " + file + " (launcher/maven/lock adds it)"
              : "has the SHA-256 " + digest + " and not " + expected + ", as " + file + " says";
      result.addException(new ChecksumFailureException(artifact + " " + trouble));
      // Nothing that Maven could go on with is left in the result.
      result.setArtifact(artifact.setFile(null));
    }
  }

  private static String digest(Path artifact) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      try (DigestInputStream in = new DigestInputStream(Files.newInputStream(artifact), digest)) {
        in.transferTo(OutputStream.nullOutputStream());
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + artifact, e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Sorted, and as {@code sha256sum} writes it. */
  private void write() {
    try {
      Files.write(
          file, new TreeMap<>(lock).entrySet().stream().map(e -> e.getValue() + "  " + e.getKey()).toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
