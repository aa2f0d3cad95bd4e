package dev.atoll.engine.net;

import java.time.Duration;

/** Says which package registries there are; what is known grows while they are looked for. */
public interface RegistrySource {

  /** What is known now, without waiting. */
  Registries current();

  /** Those of them that the host itself is configured for, which no template has a part in. */
  default Registries ofHost() {
    return current();
  }

  /** The same once the search is over, or when patience is. */
  default Registries settled(Duration patience) {
    return current();
  }

  /** Registries that never change. */
  static RegistrySource fixed(Registries registries) {
    return () -> registries;
  }
}
