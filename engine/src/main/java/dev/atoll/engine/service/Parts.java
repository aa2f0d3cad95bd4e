package dev.atoll.engine.service;

import dev.atoll.engine.Ports;
import dev.atoll.engine.Sandboxes;
import dev.atoll.engine.Snapshots;
import dev.atoll.engine.run.Deadlines;
import dev.atoll.engine.store.ServiceRows;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What services are made of.
 *
 * @param folder where logs are
 * @param owned the services that sandboxes and snapshots belong to, by id
 * @param tally what is counted
 */
record Parts(
    Sandboxes sandboxes,
    Snapshots snapshots,
    Ports ports,
    ServiceRows rows,
    Deadlines deadlines,
    HealthProbe probe,
    Path folder,
    Map<String, String> owned,
    Tally tally) {

  Parts(
      Sandboxes sandboxes,
      Snapshots snapshots,
      Ports ports,
      ServiceRows rows,
      Deadlines deadlines,
      Path folder) {
    this(
        sandboxes,
        snapshots,
        ports,
        rows,
        deadlines,
        new HealthProbe(ports, deadlines),
        folder,
        new ConcurrentHashMap<>(),
        new Tally());
  }
}
