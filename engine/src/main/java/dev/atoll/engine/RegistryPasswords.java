package dev.atoll.engine;

import dev.atoll.engine.secret.BoundSecret;
import dev.atoll.engine.secret.Secrets;
import dev.atoll.engine.template.Grounds;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.SecretDomain;
import java.util.List;

/** Passwords of registries, which are secrets that are bound to the registry's host. */
record RegistryPasswords(Secrets secrets) {
  private static final int HTTPS = 443;

  /**
   * The value of a secret.
   *
   * @param registry a host, with its port if it has one
   */
  Grounds.Password of(String project, String secret, String registry) {
    secrets.require(project, List.of(secret));
    int colon = registry.lastIndexOf(':');
    String host = colon < 0 ? registry : registry.substring(0, colon);
    int port = colon < 0 ? HTTPS : Integer.parseInt(registry.substring(colon + 1));
    return secrets.bound(project, List.of(secret), host, port).stream()
        .map(RegistryPasswords::password)
        .findFirst()
        .orElseThrow(
            () ->
                new AtollException(
                    ErrorCode.FORBIDDEN,
                    "secret " + secret + " is not bound to the registry " + registry,
                    "add its host to the domains of the secret"));
  }

  private static Grounds.Password password(BoundSecret secret) {
    return new Grounds.Password(
        secret.value().reveal(),
        secret.info().domains().stream().map(SecretDomain::toString).toList());
  }
}
