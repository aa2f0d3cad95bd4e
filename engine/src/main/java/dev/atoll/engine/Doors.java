package dev.atoll.engine;

import java.util.Optional;

/** What can be reached from outside, and what lets callers in. */
public interface Doors {

  /** What a token opens, and whose it is. */
  record Grant(String project, String id, int port) {}

  /** Whose it is, by its id; empty when it has ended. */
  Optional<String> projectOf(String id);

  /** The id of what a project calls so. */
  String idOf(String project, String idOrName);

  /** Whether everybody may come in. */
  boolean isPublic(String id, int port);

  /** What a token opens; empty when it is unknown, expired or revoked. */
  Optional<Grant> opens(String token);
}
