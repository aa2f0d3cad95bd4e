package dev.atoll.engine.cache;

import java.net.URI;
import java.util.List;

/** The registries that packages come from, by the host's configuration. */
public interface Upstreams {

  /** Indexes as pip has them, the main one first. */
  List<URI> pip();

  /** Registries of npm, of which the first counts. */
  List<URI> npm();

  /** Archives of Debian packages, as apt has them. */
  List<URI> apt();

  /** Repositories of Java libraries, of which the first counts. */
  List<URI> maven();

  /** How they are reached, and what they name. */
  RegistryWay way();
}
