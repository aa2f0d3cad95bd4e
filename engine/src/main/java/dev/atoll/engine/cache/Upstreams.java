package dev.atoll.engine.cache;

import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

  /** Proxies of Go modules, in the order in which they are asked. */
  List<URI> go();

  /** What says what Go modules hold; null when the host believes none. */
  @Nullable GoSums goSums();

  /** Sparse indexes of Rust crates, of which the first counts. */
  List<URI> cargo();

  /** How they are reached, and what they name. */
  RegistryWay way();
}
