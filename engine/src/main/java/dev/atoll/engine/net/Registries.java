package dev.atoll.engine.net;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The package registries that are known at a moment. */
public record Registries(Set<Registry> all) {
  private static final int MAX = 256;

  public Registries {
    all = Set.copyOf(all.stream().limit(MAX).toList());
  }

  public static Registries none() {
    return new Registries(Set.of());
  }

  public static Registries of(Collection<Registry> registries) {
    return new Registries(new LinkedHashSet<>(registries));
  }

  Registries plus(Collection<Registry> more) {
    Set<Registry> sum = new LinkedHashSet<>(all);
    sum.addAll(more);
    return new Registries(sum);
  }

  boolean contains(Target target) {
    return all.stream().anyMatch(registry -> is(registry, target));
  }

  boolean isTrusted(Target target) {
    return all.stream().anyMatch(registry -> registry.trusted() && is(registry, target));
  }

  private static boolean is(Registry registry, Target target) {
    return registry.host().equals(target.host())
        && (target.port() == 0 || registry.port() == target.port());
  }

  /** Host and port of each, for people. */
  public List<String> names() {
    return all.stream().map(r -> r.host() + ":" + r.port()).sorted().distinct().toList();
  }
}
