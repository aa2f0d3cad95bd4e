package dev.atoll.engine.inject;

import dev.atoll.engine.secret.SecretSettings;
import dev.atoll.engine.secret.Secrets;
import java.util.List;

/** Gives the connections of sandboxes their secrets. A server has one. */
public final class Injector {
  private final Secrets secrets;
  private final Trust trust;

  public Injector(Secrets secrets, SecretSettings settings) {
    this.secrets = secrets;
    this.trust = new Trust(settings.trust());
  }

  /** For a sandbox that lists these secrets. */
  public SandboxSecrets of(String project, List<String> names) {
    return new SandboxSecrets(secrets, trust, project, names);
  }
}
