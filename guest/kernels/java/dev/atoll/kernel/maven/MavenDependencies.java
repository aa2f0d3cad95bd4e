package dev.atoll.kernel.maven;

import dev.atoll.kernel.Dependencies;
import dev.atoll.kernel.DependencyException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.maven.repository.internal.MavenRepositorySystemUtils;
import org.apache.maven.settings.building.SettingsBuildingException;
import org.eclipse.aether.DefaultRepositorySystemSession;
import org.eclipse.aether.RepositoryException;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.artifact.Artifact;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.collection.CollectRequest;
import org.eclipse.aether.connector.basic.BasicRepositoryConnectorFactory;
import org.eclipse.aether.graph.Dependency;
import org.eclipse.aether.impl.DefaultServiceLocator;
import org.eclipse.aether.repository.RemoteRepository;
import org.eclipse.aether.resolution.ArtifactDescriptorRequest;
import org.eclipse.aether.resolution.ArtifactResult;
import org.eclipse.aether.resolution.DependencyRequest;
import org.eclipse.aether.resolution.VersionRangeRequest;
import org.eclipse.aether.resolution.VersionRangeResolutionException;
import org.eclipse.aether.spi.connector.RepositoryConnectorFactory;
import org.eclipse.aether.spi.connector.transport.TransporterFactory;
import org.eclipse.aether.transfer.ArtifactNotFoundException;
import org.eclipse.aether.transfer.ArtifactTransferException;
import org.eclipse.aether.transfer.ChecksumFailureException;
import org.eclipse.aether.util.artifact.JavaScopes;
import org.eclipse.aether.util.filter.DependencyFilterUtils;
import org.eclipse.aether.version.Version;

/** Resolves by the libraries of Maven itself, as Maven would for a project with these dependencies. */
public final class MavenDependencies implements Dependencies {
  private static final int SHOWN_VERSIONS = 5;

  private final Transfers transfers = new Transfers();
  private final RepositorySystem system;
  private final DefaultRepositorySystemSession session;
  private final List<RemoteRepository> repositories;

  /** With the settings of that Maven and of the user. */
  @SuppressWarnings("deprecation") // The one way that all of Maven 3.9 has without a container.
  public MavenDependencies(Path mavenHome) throws SettingsBuildingException {
    DefaultServiceLocator services = MavenRepositorySystemUtils.newServiceLocator();
    services.addService(RepositoryConnectorFactory.class, BasicRepositoryConnectorFactory.class);
    services.setServices(TransporterFactory.class, transfers);
    system = services.getService(RepositorySystem.class);
    Configuration configuration = Configuration.read(mavenHome);
    session = configuration.session(system);
    repositories = configuration.repositories(system, session);
  }

  @Override
  public List<Library> resolve(List<String> coordinates) throws DependencyException {
    List<Coordinate> wanted = new ArrayList<>();
    for (String one : coordinates) {
      wanted.add(Coordinate.of(one));
    }
    try {
      return found(request(wanted));
    } catch (RepositoryException e) {
      throw failure(e, coordinates);
    } finally {
      transfers.close();
    }
  }

  @Override
  public void stop() {
    transfers.close();
  }

  private CollectRequest request(List<Coordinate> wanted)
      throws RepositoryException, DependencyException {
    CollectRequest request = new CollectRequest().setRepositories(repositories);
    Map<String, String> versions = new HashMap<>();
    for (Coordinate list : wanted.stream().filter(Coordinate::isList).toList()) {
      ArtifactDescriptorRequest asked =
          new ArtifactDescriptorRequest(list.artifact(list.version()), repositories, null);
      for (Dependency managed :
          system.readArtifactDescriptor(session, asked).getManagedDependencies()) {
        Artifact artifact = managed.getArtifact();
        request.addManagedDependency(managed);
        versions.putIfAbsent(
            artifact.getGroupId() + ":" + artifact.getArtifactId(), artifact.getVersion());
      }
    }
    for (Coordinate one : wanted.stream().filter(each -> !each.isList()).toList()) {
      String version =
          one.version().isEmpty() ? versions.getOrDefault(one.key(), "") : one.version();
      if (version.isEmpty()) {
        throw new DependencyException(
            "invalid_argument",
            "%s has no version; write //DEPS %s:VERSION%s"
                .formatted(one.key(), one.key(), newest(one.key())));
      }
      request.addDependency(new Dependency(one.artifact(version), JavaScopes.RUNTIME));
    }
    return request;
  }

  private List<Library> found(CollectRequest collect) throws RepositoryException {
    DependencyRequest request =
        new DependencyRequest(
            collect, DependencyFilterUtils.classpathFilter(JavaScopes.RUNTIME));
    List<Library> found = new ArrayList<>();
    for (ArtifactResult result :
        system.resolveDependencies(session, request).getArtifactResults()) {
      Artifact artifact = result.getArtifact();
      String classifier = artifact.getClassifier();
      found.add(
          new Library(
              artifact.getGroupId()
                  + ":"
                  + artifact.getArtifactId()
                  + (classifier.isEmpty() ? "" : ":" + classifier),
              artifact.getVersion(),
              artifact.getFile().toPath()));
    }
    return found;
  }

  private DependencyException failure(RepositoryException failure, List<String> coordinates) {
    if (transfers.trouble() != null) {
      DependencyException trouble = transfers.trouble();
      return new DependencyException(
          trouble.code(), wanted(failure, coordinates) + ": " + trouble.getMessage());
    }
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ArtifactNotFoundException missing) {
        return missing(missing.getArtifact());
      }
      if (cause instanceof ChecksumFailureException) {
        return new DependencyException("package_corrupt", cause.getMessage());
      }
      if (cause instanceof VersionRangeResolutionException range) {
        return missing(range.getResult().getRequest().getArtifact());
      }
    }
    return new DependencyException("package_failed", failure.getMessage());
  }

  /** What was being fetched: often something that one of the libraries needs. */
  private static String wanted(Throwable failure, List<String> coordinates) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ArtifactTransferException transfer && transfer.getArtifact() != null) {
        return title(transfer.getArtifact());
      }
    }
    return String.join(", ", coordinates);
  }

  private static String title(Artifact artifact) {
    return artifact.getGroupId() + ":" + artifact.getArtifactId() + ":" + artifact.getVersion();
  }

  private DependencyException missing(Artifact artifact) {
    String key = artifact.getGroupId() + ":" + artifact.getArtifactId();
    String whole = title(artifact);
    String versions = newest(key);
    return versions.isEmpty()
        ? new DependencyException(
            "package_not_found",
            "%s: the repository has no %s; correct the coordinate, which is group:artifact:version"
                .formatted(whole, key))
        : new DependencyException(
            "package_version_not_found",
            "%s: the repository does not have that%s".formatted(whole, versions));
  }

  /** For people; empty when there is none, or nobody to ask. */
  private String newest(String key) {
    try {
      Artifact all = new DefaultArtifact(key + ":[0,)");
      List<Version> versions =
          system
              .resolveVersionRange(session, new VersionRangeRequest(all, repositories, null))
              .getVersions();
      return versions.isEmpty()
          ? ""
          : versions.reversed().stream()
              .limit(SHOWN_VERSIONS)
              .map(Version::toString)
              .collect(Collectors.joining(", ", "; its newest versions are ", ""));
    } catch (VersionRangeResolutionException e) {
      return "";
    }
  }
}
