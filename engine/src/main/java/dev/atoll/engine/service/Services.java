package dev.atoll.engine.service;

import dev.atoll.engine.Doors;
import dev.atoll.engine.Ids;
import dev.atoll.engine.Keeping;
import dev.atoll.engine.Ports;
import dev.atoll.engine.Sandboxes;
import dev.atoll.engine.Shares;
import dev.atoll.engine.Snapshots;
import dev.atoll.engine.quota.Charge;
import dev.atoll.engine.quota.Hold;
import dev.atoll.engine.quota.Quotas;
import dev.atoll.engine.run.Deadlines;
import dev.atoll.engine.store.ServiceRows;
import dev.atoll.model.AtollException;
import dev.atoll.model.DeployEvent;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.InstanceState;
import dev.atoll.model.PortAccess;
import dev.atoll.model.PortShare;
import dev.atoll.model.QuotaName;
import dev.atoll.model.ServiceInfo;
import dev.atoll.model.ServiceRevision;
import dev.atoll.model.ServiceSpec;
import dev.atoll.model.ServiceUpdate;
import dev.atoll.model.ShareRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All services. Thread-safe. While there is none, nothing happens here. */
public final class Services implements Doors, Keeping, AutoCloseable {
  /** Failures that say that an instance is not what it was; another may do. */
  private static final Set<ErrorCode> OF_THE_INSTANCE =
      Set.of(
          ErrorCode.PORT_NOT_LISTENING,
          ErrorCode.PORT_FAILED,
          ErrorCode.SANDBOX_NOT_FOUND,
          ErrorCode.SANDBOX_NOT_RUNNING,
          ErrorCode.SANDBOX_FAILED,
          ErrorCode.GONE);

  private static final Duration DELETE_PATIENCE = Duration.ofMinutes(3);

  private final Parts parts;
  private final Shares shares;
  private final Quotas quotas;
  private final Map<String, LiveService> services = new ConcurrentHashMap<>();

  /** Held while names are looked up to be taken. */
  private final ReentrantLock naming = new ReentrantLock();

  public Services(
      Sandboxes sandboxes,
      Snapshots snapshots,
      Ports ports,
      Shares shares,
      ServiceRows rows,
      Deadlines deadlines,
      Path folder,
      Quotas quotas) {
    this.parts = new Parts(sandboxes, snapshots, ports, rows, deadlines, folder);
    this.shares = shares;
    this.quotas = quotas;
    quotas.count(Set.of(QuotaName.SERVICES), this::charges);
  }

  private Stream<Charge> charges(String project) {
    return services.values().stream()
        .filter(live -> live.project().equals(project))
        .map(live -> charge(live.id(), live.name()));
  }

  private static Charge charge(String id, String name) {
    return Charge.one(QuotaName.SERVICES, "service", id, name);
  }

  /** Takes over what an earlier server left, and undoes what it did not finish. */
  public void recover() {
    ServiceRecovery recovery = new ServiceRecovery(parts);
    for (ServiceRows.Row row : parts.rows().all()) {
      LiveService live = recovery.recover(row);
      if (live != null) {
        services.put(live.id(), live);
        live.review();
      }
    }
    recovery.sweep(services.keySet());
  }

  static AtollException unknown(String idOrName) {
    return new AtollException(
        ErrorCode.SERVICE_NOT_FOUND,
        "there is no service " + idOrName,
        "list them with `atoll services`");
  }

  private Optional<LiveService> find(String project, String idOrName) {
    return services.values().stream()
        .filter(live -> live.project().equals(project))
        .filter(live -> live.id().equals(idOrName) || live.name().equals(idOrName))
        .findFirst();
  }

  private LiveService require(String project, String idOrName) {
    return find(project, idOrName).orElseThrow(() -> unknown(idOrName));
  }

  /** What came of a deployment, and whether the service is new. */
  public record Deployed(ServiceInfo service, boolean created) {}

  /**
   * Makes a service, or a new revision of the one of that name, and returns when requests go to it.
   *
   * @throws AtollException {@link ErrorCode#DEPLOY_FAILED} when the program does not become
   *     healthy; what served before goes on
   */
  public Deployed deploy(String project, ServiceSpec spec, Consumer<DeployEvent> listener) {
    LiveService live = named(project, spec);
    int before = live.revision();
    try {
      List<ServiceRevision> earlier = parts.rows().revisions(live.id());
      int number = earlier.isEmpty() ? 1 : earlier.getFirst().number() + 1;
      new Deployment(live, parts, spec, number, listener).run();
      return new Deployed(live.info(), before == 0);
    } finally {
      live.endDeployment();
      if (live.revision() == 0 && !live.over()) {
        delete(live);
      }
    }
  }

  /**
   * Lets the revision that served before serve again, with the scale and the access of now. What
   * serves now can be gone back to in the same way.
   *
   * @throws AtollException {@link ErrorCode#CONFLICT} when there is none; {@link
   *     ErrorCode#DEPLOY_FAILED} when its program does not become healthy
   */
  public ServiceInfo rollback(String project, String idOrName) {
    LiveService live = require(project, idOrName);
    live.beginDeployment();
    try {
      new Rollback(live, parts).run();
      return live.info();
    } finally {
      live.endDeployment();
    }
  }

  /** The service of that name, made if need be; it is being deployed from here on. */
  private LiveService named(String project, ServiceSpec spec) {
    naming.lock();
    try {
      LiveService found = find(project, spec.name()).orElse(null);
      if (found != null) {
        found.beginDeployment();
        return found;
      }
      ServiceRows.Row row =
          new ServiceRows.Row(
              Ids.service(),
              project,
              spec.withoutContent(),
              0,
              0,
              false,
              Instant.ofEpochMilli(System.currentTimeMillis()));
      try (Hold _ = quotas.hold(project, charge(row.id(), spec.name()))) {
        parts.rows().insert(row);
        LiveService made = new LiveService(row, ServiceLog.of(row, parts.folder()), parts);
        made.beginDeployment();
        services.put(row.id(), made);
        return made;
      }
    } finally {
      naming.unlock();
    }
  }

  public List<ServiceInfo> list(String project) {
    return services.values().stream()
        .filter(live -> live.project().equals(project))
        .map(LiveService::info)
        .sorted(Comparator.comparing(ServiceInfo::createdAt).thenComparing(ServiceInfo::id))
        .toList();
  }

  /**
   * How the services of all projects do; what is counted begins with the server.
   *
   * @param services how many there are
   * @param instances of all of them, by state
   * @param waiting requests that no instance has yet
   * @param requests that were given to an instance
   * @param made instances that were started from a snapshot, since a request or the minimum wanted
   *     them
   * @param woken instances that were woken, likewise
   * @param restarts of programs that had ended or were not healthy
   */
  public record Totals(
      int services,
      Map<InstanceState, Integer> instances,
      int waiting,
      long requests,
      long made,
      long woken,
      long restarts) {}

  public Totals totals() {
    Map<InstanceState, Integer> instances = new EnumMap<>(InstanceState.class);
    int waiting = 0;
    List<ServiceInfo> all = services.values().stream().map(LiveService::info).toList();
    for (ServiceInfo service : all) {
      waiting += service.waiting();
      service.instances().forEach(instance -> instances.merge(instance.state(), 1, Integer::sum));
    }
    Tally tally = parts.tally();
    return new Totals(
        all.size(),
        Map.copyOf(instances),
        waiting,
        tally.requests().sum(),
        tally.made().sum(),
        tally.woken().sum(),
        tally.restarts().sum());
  }

  public ServiceInfo get(String project, String idOrName) {
    return require(project, idOrName).info();
  }

  /** The deployments of a service, the newest first. */
  public List<ServiceRevision> revisions(String project, String idOrName) {
    return parts.rows().revisions(require(project, idOrName).id());
  }

  /** What its instances have written. */
  public ServiceLog log(String project, String idOrName) {
    return require(project, idOrName).log();
  }

  /** Changes how a service is scaled and who may reach it, from the next request on. */
  public ServiceInfo update(String project, String idOrName, ServiceUpdate update) {
    LiveService live = require(project, idOrName);
    naming.lock();
    try {
      ServiceSpec changed = live.spec().with(update);
      live.update(changed, () -> parts.rows().update(live.id(), changed));
    } finally {
      naming.unlock();
    }
    return live.info();
  }

  /**
   * Ends the instances of a service once they have answered their requests; it stays deployed, and
   * the next request starts one.
   */
  public ServiceInfo stop(String project, String idOrName) {
    LiveService live = require(project, idOrName);
    live.stop(DELETE_PATIENCE);
    return live.info();
  }

  /** Ends a service: all its instances, snapshots and files. */
  public void delete(String project, String idOrName) {
    delete(require(project, idOrName));
  }

  private void delete(LiveService live) {
    parts.rows().deleting(live.id());
    live.delete(DELETE_PATIENCE);
    services.remove(live.id());
    live.log().close();
    new ServiceRecovery(parts).remove(live.id(), live.project());
  }

  // Requests.

  /**
   * Connects to an instance of a service, which is started if need be.
   *
   * @throws AtollException {@link ErrorCode#SERVICE_UNAVAILABLE} when none could be had in time
   */
  public Passage connect(String project, String idOrName) {
    LiveService live = require(project, idOrName);
    ServiceSpec spec = live.spec();
    long deadline = System.nanoTime() + Math.round(spec.patience() * 1e9);
    while (true) {
      Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
      Instance instance = live.take(left);
      boolean held = false;
      try {
        int port = live.spec().listens();
        var connection = parts.ports().connect(project, instance.id(), port);
        connection.whenOver(() -> live.release(instance));
        held = true;
        parts.tally().requests().increment();
        return new Passage(connection, port);
      } catch (AtollException e) {
        if (!OF_THE_INSTANCE.contains(e.code()) || System.nanoTime() > deadline) {
          throw e;
        }
        live.upkeep().mend(instance, "the program takes no connections");
      } finally {
        if (!held) {
          live.release(instance);
        }
      }
    }
  }

  // Who is let in.

  /** Makes a token to a service; it is in this answer and nowhere else. */
  public PortShare share(String project, String idOrName, @Nullable Double ttlSeconds) {
    LiveService live = require(project, idOrName);
    return shares.create(live.id(), new ShareRequest(live.spec().listens(), ttlSeconds));
  }

  public List<PortShare> shares(String project, String idOrName) {
    return shares.list(require(project, idOrName).id());
  }

  public void revoke(String project, String idOrName, String share) {
    shares.revoke(require(project, idOrName).id(), share, "GET /shares lists them");
  }

  @Override
  public Optional<String> projectOf(String id) {
    LiveService live = services.get(id);
    return live == null ? Optional.empty() : Optional.of(live.project());
  }

  @Override
  public String idOf(String project, String idOrName) {
    return require(project, idOrName).id();
  }

  @Override
  public boolean isPublic(String id, int port) {
    LiveService live = services.get(id);
    return live != null && live.spec().access() == PortAccess.PUBLIC;
  }

  /** A token is for the service, whatever port its program listens on. */
  @Override
  public Optional<Grant> opens(String token) {
    return shares
        .opens(token)
        .flatMap(
            opened ->
                projectOf(opened.sandbox())
                    .map(project -> new Grant(project, opened.sandbox(), 0)));
  }

  @Override
  public @Nullable String service(String id) {
    return parts.owned().get(id);
  }

  /** Lets go of all instances; they run on. */
  @Override
  public void close() {
    services.values().forEach(LiveService::close);
  }
}
