package dev.atoll.cli;

import dev.atoll.model.Isolation;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Holds what a new sandbox should be against one that is there already, so that no option is
 * silently without effect. What it is already may be said again: scripts run more than once.
 */
final class ExistingSandbox {
  private static final String NETWORK = "--network, --allow or --deny";
  private static final Set<String> FIXED =
      Set.of("--template", "--from", "--cpus", "--memory", "--disk", "--isolation");

  private final SandboxInfo info;
  private final List<String> different = new ArrayList<>();

  private ExistingSandbox(SandboxInfo info) {
    this.info = info;
  }

  /** For what runs in it, which takes variables of its own. */
  static void check(SandboxInfo info, SandboxSpec asked) {
    ExistingSandbox existing = new ExistingSandbox(info);
    existing.compare("--from", asked.snapshot(), info.snapshot());
    existing.compareAll(asked);
    existing.refuse();
  }

  /**
   * For one that is opened or made. Where it began and how long it may live are said of a new one
   * alone, since neither can be told of one that has been used.
   */
  static void checkSpace(SandboxInfo info, SandboxSpec asked) {
    ExistingSandbox existing = new ExistingSandbox(info);
    existing.contains("--env", asked.env(), info.env());
    existing.compareAll(asked);
    existing.refuse();
  }

  private void compareAll(SandboxSpec asked) {
    compare("--template", asked.template(), info.template());
    compare("--cpus", asked.cpus(), info.cpus());
    compare("--memory", asked.memoryMiB(), info.memoryMiB());
    compare("--disk", asked.diskMiB(), info.diskMiB());
    compare(
        "--isolation",
        asked.isolation() == Isolation.AUTO ? null : asked.isolation(),
        info.isolation());
    contains("--metadata", asked.metadata(), info.metadata());
    compare("--idle-timeout", asked.idleTimeoutSeconds(), info.idleTimeoutSeconds());
    compare("--persistent", asked.persistent(), info.persistent());
    compare("--on-idle", asked.onIdle(), info.onIdle());
    compare("--checkpoints", asked.checkpoints(), info.checkpoints());
    compare("--fork-ahead", asked.forkAhead(), info.forkAhead());
    compare(NETWORK, asked.network(), info.network());
    if (asked.secrets() != null && !info.secrets().containsAll(asked.secrets())) {
      different.add("--secret");
    }
  }

  private void compare(String option, @Nullable Object asked, @Nullable Object is) {
    if (asked != null && !asked.equals(is)) {
      different.add(option);
    }
  }

  private void contains(
      String option, @Nullable Map<String, String> asked, Map<String, String> has) {
    if (asked != null && !has.entrySet().containsAll(asked.entrySet())) {
      different.add(option);
    }
  }

  private void refuse() {
    if (different.isEmpty()) {
      return;
    }
    String name = info.name() == null ? info.id() : info.name();
    throw new UsageException(
        name + " is there already, and is not what " + String.join(", ", different) + " says",
        different.stream()
            .map(option -> instead(option, name))
            .distinct()
            .reduce((a, b) -> a + "; " + b)
            .orElse(null));
  }

  private static String instead(String option, String name) {
    if (FIXED.contains(option)) {
      return "choose another name, or atoll rm " + name + " first";
    }
    return option.equals(NETWORK)
        ? "see atoll network mode " + name + " and atoll network allow " + name
        : "atoll update " + name + " " + option + " … changes it";
  }
}
