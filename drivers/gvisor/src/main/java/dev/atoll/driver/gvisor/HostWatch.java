package dev.atoll.driver.gvisor;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after all machines once a second, for what nobody tells: that the disk limit is passed,
 * that the kernel killed a part of a machine, that it ended while nobody was reading. One thread
 * for all of them; a look costs a few reads of small files.
 */
final class HostWatch {
  private static final Logger log = LoggerFactory.getLogger(HostWatch.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private final Set<GvisorMachine> machines = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean started = new AtomicBoolean();

  void add(GvisorMachine machine) {
    machines.add(machine);
    if (started.compareAndSet(false, true)) {
      Thread.ofVirtual().name("gvisor-watch").start(this::run);
    }
  }

  void remove(GvisorMachine machine) {
    machines.remove(machine);
  }

  private void run() {
    while (true) {
      try {
        Thread.sleep(INTERVAL);
      } catch (InterruptedException e) {
        return;
      }
      machines.forEach(HostWatch::look);
    }
  }

  private static void look(GvisorMachine machine) {
    try {
      machine.look();
    } catch (RuntimeException e) {
      // One machine's trouble must not leave the others unwatched.
      log.warn("cannot look after machine {}", machine.id(), e);
    }
  }
}
