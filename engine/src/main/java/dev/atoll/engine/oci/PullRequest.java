package dev.atoll.engine.oci;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@link PullProgram} is to do; it reads this as JSON from its standard input, so that no
 * other process sees the password.
 *
 * @param reference as recipes say it, such as {@code registry.example.com/team/image:tag}
 * @param digest of the manifest that is wanted; null for what the reference means now
 * @param username null for a token
 * @param password null for a registry that lets everybody read
 * @param domains that the password may go to, besides the registry itself
 * @param insecure whether to speak plain HTTP
 * @param proxy port of the proxy on loopback that everything goes through
 * @param authorities a file of the certificates to trust; null for Java's own
 * @param folder where the layers go; null to only find out which image it is
 * @param mostBytes that the layers may have together
 */
record PullRequest(
    String reference,
    @Nullable String digest,
    @Nullable String username,
    @Nullable String password,
    List<String> domains,
    boolean insecure,
    int proxy,
    @Nullable String authorities,
    @Nullable String folder,
    long mostBytes) {
  PullRequest {
    domains = List.copyOf(domains);
  }

  /** Without the password. */
  @Override
  public String toString() {
    return "PullRequest[" + reference + "]";
  }
}
