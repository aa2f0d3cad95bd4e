package dev.atoll.engine.net;

import dev.atoll.model.NetworkPolicy;
import org.jspecify.annotations.Nullable;

/** What all sandboxes of a project have in common. */
final class ProjectNetwork {
  private final String name;
  private final TrafficAccount account;
  private volatile @Nullable NetworkPolicy ceiling;

  ProjectNetwork(String name, TrafficAccount account, @Nullable NetworkPolicy ceiling) {
    this.name = name;
    this.account = account;
    this.ceiling = ceiling;
  }

  String name() {
    return name;
  }

  TrafficAccount account() {
    return account;
  }

  @Nullable NetworkPolicy ceiling() {
    return ceiling;
  }

  void ceiling(@Nullable NetworkPolicy newCeiling) {
    ceiling = newCeiling;
  }
}
