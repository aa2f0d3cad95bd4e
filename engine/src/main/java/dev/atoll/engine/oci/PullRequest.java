package dev.atoll.engine.oci;

import org.jspecify.annotations.Nullable;

/**
 * What {@link PullProgram} is to do; it reads this as JSON from its standard input, so that no
 * other process sees the password.
 *
 * @param reference as recipes say it, such as {@code registry.example.com/team/image:tag}
 * @param username null for a token
 * @param password null for a registry that lets everybody read
 * @param insecure whether to speak plain HTTP
 * @param authorities a file of the certificates to trust; null for Java's own
 * @param folder where the layers go; null to only find out which image it is
 * @param mostBytes that the layers may have together
 */
record PullRequest(
    String reference,
    @Nullable String username,
    @Nullable String password,
    boolean insecure,
    @Nullable String authorities,
    @Nullable String folder,
    long mostBytes) {

  /** Without the password. */
  @Override
  public String toString() {
    return "PullRequest[" + reference + "]";
  }
}
