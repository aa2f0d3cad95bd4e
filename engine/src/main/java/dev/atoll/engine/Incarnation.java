package dev.atoll.engine;

import dev.atoll.driver.Machine;
import dev.atoll.driver.MachineExit;
import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.run.Runs;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A machine with the agent in it. A sandbox has one at a time while it is not hibernated, and
 * another one after a sleep, a merge or a rewind.
 */
final class Incarnation {
  private final Machine machine;
  private static final Duration EXIT_DEADLINE = Duration.ofSeconds(5);

  private volatile @Nullable Guest guest;
  private volatile @Nullable Runs runs;
  private volatile String project = BudgetAccount.NOBODY;

  /** As this server has set it; an earlier one may have set another. */
  private volatile double weight;

  private volatile boolean stopped;
  private Guest.@Nullable Loss loss;
  private @Nullable Consumer<Guest.Loss> mourner;

  Incarnation(Machine machine) {
    this.machine = machine;
  }

  Machine machine() {
    return machine;
  }

  /** The agent; null while nobody has spoken to it, as after a restart with the machine paused. */
  @Nullable Guest guest() {
    return guest;
  }

  @Nullable Runs runs() {
    return runs;
  }

  void connect(Guest newGuest, Runs newRuns) {
    guest = newGuest;
    runs = newRuns;
    belongTo(project);
  }

  /** Says how much processor time its machine gets beside others; see {@link CpuWeights}. */
  void weigh(double part) {
    if (part != weight) {
      machine.weigh(part);
      weight = part;
    }
  }

  /** The project that pays for what the server holds because of this machine. */
  String project() {
    return project;
  }

  void belongTo(String newProject) {
    project = newProject;
    Guest connected = guest;
    Runs running = runs;
    if (connected != null) {
      connected.memory().belongTo(newProject);
    }
    if (running != null) {
      running.belongTo(newProject);
    }
  }

  /**
   * Why the machine has ended: {@code terminated} by this server, {@code memory_limit}, {@code
   * disk_limit} or {@code crashed}.
   */
  String reason() {
    if (stopped) {
      // It goes on without this server, or was ended by it; there is nothing to wait for.
      return "terminated";
    }
    try {
      MachineExit exit = machine.exit().get(EXIT_DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
      return switch (exit.cause()) {
        case OUT_OF_MEMORY -> "memory_limit";
        case OUT_OF_DISK -> "disk_limit";
        case PROTOCOL -> "protocol_error";
        case CLOSED, CRASHED -> "crashed";
      };
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "crashed";
    } catch (ExecutionException | TimeoutException e) {
      return "crashed";
    }
  }

  /** The agent is gone. */
  void lost(Guest.Loss how) {
    Consumer<Guest.Loss> told;
    synchronized (this) {
      loss = how;
      told = mourner;
    }
    if (told != null) {
      told.accept(how);
    }
  }

  /** Says who wants to know of the loss; at once if it has happened already. */
  void onLoss(Consumer<Guest.Loss> newMourner) {
    Guest.Loss already;
    synchronized (this) {
      mourner = newMourner;
      already = loss;
    }
    if (already != null) {
      newMourner.accept(already);
    }
  }

  void stopRuns() {
    stopped = true;
    Runs connected = runs;
    if (connected != null) {
      connected.close();
    }
  }
}
