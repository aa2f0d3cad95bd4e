package dev.atoll.engine.service;

import dev.atoll.engine.Run;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.ServiceScale;
import dev.atoll.model.ServiceSpec;
import dev.atoll.model.ServiceUpdate;
import java.util.Map;

/** Lets the revision of a service that served before serve again, from its snapshot. */
record Rollback(LiveService service, Parts parts) {

  /** Returns when requests go to it; when it fails, all is as before. */
  void run() {
    LiveService.Serving before = service.previous();
    if (before == null) {
      throw new AtollException(
          ErrorCode.CONFLICT,
          "service " + service.name() + " has no earlier revision to go back to",
          "the revision before the one that serves is kept; deploy what is older again");
    }
    int number = before.revision();
    ServiceSpec spec = parts.rows().spec(service.id(), number).with(unchanged());
    Upkeep upkeep = service.upkeep();
    Instance first = new Instance(upkeep.newName(service.name(), number), number);
    service.building(first);
    try {
      Run run = upkeep.awaken(first, spec, before.snapshot());
      service.serve(
          number,
          spec,
          before.snapshot(),
          first,
          run,
          () -> parts.rows().serve(service.id(), number, spec));
    } catch (RuntimeException e) {
      if (!service.closed()) {
        upkeep.end(first);
      }
      throw new AtollException(
          ErrorCode.DEPLOY_FAILED,
          "service %s cannot go back to revision %d: %s"
              .formatted(service.name(), number, e.getMessage()),
          "the revision that served goes on",
          Map.of("revision", number),
          e);
    }
  }

  /** How it is scaled and who may reach it are no matter of the program. */
  private ServiceUpdate unchanged() {
    ServiceSpec now = service.spec();
    ServiceScale scale = now.scale();
    return new ServiceUpdate(
        scale.min(), scale.max(), scale.idleSeconds(), scale.concurrency(), now.access());
  }
}
