package dev.atoll.kernel.maven;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.maven.model.Repository;
import org.apache.maven.model.building.DefaultModelProcessor;
import org.apache.maven.model.io.DefaultModelReader;
import org.apache.maven.model.locator.DefaultModelLocator;
import org.apache.maven.model.superpom.DefaultSuperPomProvider;
import org.apache.maven.repository.internal.MavenRepositorySystemUtils;
import org.apache.maven.settings.Mirror;
import org.apache.maven.settings.Profile;
import org.apache.maven.settings.Server;
import org.apache.maven.settings.Settings;
import org.apache.maven.settings.building.DefaultSettingsBuilderFactory;
import org.apache.maven.settings.building.DefaultSettingsBuildingRequest;
import org.apache.maven.settings.building.SettingsBuildingException;
import org.eclipse.aether.DefaultRepositorySystemSession;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.repository.LocalRepository;
import org.eclipse.aether.repository.RemoteRepository;
import org.eclipse.aether.repository.RepositoryPolicy;
import org.eclipse.aether.util.repository.AuthenticationBuilder;
import org.eclipse.aether.util.repository.DefaultAuthenticationSelector;
import org.eclipse.aether.util.repository.DefaultMirrorSelector;

/** What Maven itself would go by: the settings beside it, and those of the user, which win. */
record Configuration(Settings settings) {
  private static final RepositoryPolicy RELEASES =
      new RepositoryPolicy(
          true, RepositoryPolicy.UPDATE_POLICY_DAILY, RepositoryPolicy.CHECKSUM_POLICY_FAIL);
  private static final RepositoryPolicy NONE = new RepositoryPolicy(false, null, null);

  static Configuration read(Path mavenHome) throws SettingsBuildingException {
    DefaultSettingsBuildingRequest request = new DefaultSettingsBuildingRequest();
    request.setGlobalSettingsFile(mavenHome.resolve("conf/settings.xml").toFile());
    request.setUserSettingsFile(own("settings.xml").toFile());
    request.setSystemProperties(System.getProperties());
    return new Configuration(
        new DefaultSettingsBuilderFactory().newInstance().build(request).getEffectiveSettings());
  }

  private static Path own(String name) {
    return Path.of(System.getProperty("user.home"), ".m2", name);
  }

  DefaultRepositorySystemSession session(RepositorySystem system) {
    DefaultRepositorySystemSession session = MavenRepositorySystemUtils.newSession();
    String place = settings.getLocalRepository();
    Path local = place == null || place.isBlank() ? own("repository") : Path.of(place);
    session.setLocalRepositoryManager(
        system.newLocalRepositoryManager(session, new LocalRepository(local.toFile())));
    session.setOffline(settings.isOffline());
    session.setSystemProperties(System.getProperties());
    DefaultMirrorSelector mirrors = new DefaultMirrorSelector();
    for (Mirror mirror : settings.getMirrors()) {
      mirrors.add(
          mirror.getId(),
          mirror.getUrl(),
          mirror.getLayout(),
          false,
          mirror.isBlocked(),
          mirror.getMirrorOf(),
          mirror.getMirrorOfLayouts());
    }
    session.setMirrorSelector(mirrors);
    DefaultAuthenticationSelector authentication = new DefaultAuthenticationSelector();
    for (Server server : settings.getServers()) {
      authentication.add(
          server.getId(),
          new AuthenticationBuilder()
              .addUsername(server.getUsername())
              .addPassword(server.getPassword())
              .build());
    }
    session.setAuthenticationSelector(authentication);
    return session;
  }

  /** The central one, and those that the user's settings add. */
  List<RemoteRepository> repositories(RepositorySystem system, DefaultRepositorySystemSession of) {
    List<Repository> all = new ArrayList<>();
    for (Profile profile : settings.getProfiles()) {
      boolean byDefault =
          profile.getActivation() != null && profile.getActivation().isActiveByDefault();
      if (byDefault || settings.getActiveProfiles().contains(profile.getId())) {
        profile.getRepositories().stream().map(Configuration::asModel).forEach(all::add);
      }
    }
    DefaultModelProcessor models =
        new DefaultModelProcessor()
            .setModelLocator(new DefaultModelLocator())
            .setModelReader(new DefaultModelReader());
    all.addAll(
        new DefaultSuperPomProvider()
            .setModelProcessor(models)
            .getSuperModel("4.0.0")
            .getRepositories());
    return system.newResolutionRepositories(of, all.stream().map(Configuration::remote).toList());
  }

  private static Repository asModel(org.apache.maven.settings.Repository given) {
    Repository repository = new Repository();
    repository.setId(given.getId());
    repository.setUrl(given.getUrl());
    if (given.getSnapshots() != null && given.getSnapshots().isEnabled()) {
      org.apache.maven.model.RepositoryPolicy snapshots =
          new org.apache.maven.model.RepositoryPolicy();
      snapshots.setEnabled(true);
      repository.setSnapshots(snapshots);
    }
    return repository;
  }

  private static RemoteRepository remote(Repository given) {
    boolean snapshots = given.getSnapshots() != null && given.getSnapshots().isEnabled();
    return new RemoteRepository.Builder(given.getId(), "default", given.getUrl())
        .setReleasePolicy(RELEASES)
        .setSnapshotPolicy(snapshots ? RELEASES : NONE)
        .build();
  }
}
