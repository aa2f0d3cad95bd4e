package dev.atoll.engine;

import dev.atoll.engine.quota.Charge;
import dev.atoll.engine.quota.Hold;
import dev.atoll.engine.quota.Quotas;
import dev.atoll.engine.secret.Secrets;
import dev.atoll.engine.store.PoolRows;
import dev.atoll.model.AtollException;
import dev.atoll.model.ClaimRequest;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.PoolInfo;
import dev.atoll.model.PoolSpec;
import dev.atoll.model.PoolUpdate;
import dev.atoll.model.QuotaName;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxSpec;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Warm pools: sandboxes that are ready before anybody asks for them. */
public final class Pools {
  private final SandboxDefaults defaults;
  private final PoolRows rows;
  private final Registry registry;
  private final Lifecycle lifecycle;
  private final Machines machines;
  private final Origins origins;
  private final Templates templates;
  private final WarmPool standard;
  private final UsedTemplates used;
  private final Blanks blanks;
  private final ForkAhead ahead;
  private final PoolKeeper keeper;
  private final Secrets secrets;
  private final Quotas quotas;
  private final Map<String, Pool> pools = new ConcurrentHashMap<>();

  private record Pool(PoolRows.Row row, PoolPlan plan, WarmPool warm) {}

  /**
   * What all pools together have done since the server started; the default pool and those of
   * templates in use are included.
   *
   * @param blanks machines that were begun and have no state yet
   * @param forksAhead children that were prepared for sandboxes that asked for it
   */
  public record Totals(
      long hits,
      long misses,
      int ready,
      double oldestSeconds,
      long refills,
      double refillSecondsTotal,
      int blanks,
      int forksAhead) {}

  Pools(
      SandboxDefaults defaults,
      PoolRows rows,
      Registry registry,
      Lifecycle lifecycle,
      Machines machines,
      Origins origins,
      Templates templates,
      WarmPool standard,
      UsedTemplates used,
      Blanks blanks,
      ForkAhead ahead,
      PoolKeeper keeper,
      Secrets secrets,
      Quotas quotas) {
    this.defaults = defaults;
    this.rows = rows;
    this.registry = registry;
    this.lifecycle = lifecycle;
    this.machines = machines;
    this.origins = origins;
    this.templates = templates;
    this.standard = standard;
    this.used = used;
    this.blanks = blanks;
    this.ahead = ahead;
    this.keeper = keeper;
    this.secrets = secrets;
    this.quotas = quotas;
    quotas.count(
        Set.of(QuotaName.POOLS, QuotaName.WARM, QuotaName.MEMORY, QuotaName.CPUS), this::charges);
    keeper.keep(standard);
    keeper.keep(used);
    keeper.keep(blanks);
    rows.all().forEach(this::begin);
  }

  /** The pools of a project, and what waits in them. */
  private Stream<Charge> charges(String project) {
    return pools.values().stream()
        .filter(pool -> pool.row().project().equals(project))
        .flatMap(
            pool ->
                Stream.concat(
                    Stream.of(charge(pool.row())),
                    pool.warm().waiting().stream().map(pool.plan()::charge)));
  }

  /** The templates whose files machines that wait stand on. */
  Set<String> digests() {
    return pools.values().stream()
        .flatMap(pool -> pool.warm().waiting().stream())
        .map(SandboxInfo::templateDigest)
        .collect(Collectors.toSet());
  }

  private static Charge charge(PoolRows.Row row) {
    return Charge.one(QuotaName.POOLS, "pool", row.id(), row.spec().name())
        .with(QuotaName.WARM, row.spec().warm());
  }

  private Pool begin(PoolRows.Row row) {
    PoolPlan plan =
        new PoolPlan(row.project(), row.id(), row.spec(), defaults, templates, origins, quotas);
    Pool pool = new Pool(row, plan, new WarmPool(row.id(), row.spec().warm(), machines, plan));
    pools.put(row.id(), pool);
    pool.warm().bound(() -> room(row.id()));
    keeper.keep(pool.warm());
    return pool;
  }

  /** Makes a pool; it fills in the background. */
  public PoolInfo create(String project, PoolSpec spec) {
    secrets.require(project, spec.secrets());
    String snapshot = spec.snapshot();
    if (snapshot != null) {
      origins.row(project, snapshot);
    } else {
      templates.digest(project, spec.template() == null ? defaults.template() : spec.template());
    }
    PoolRows.Row row = new PoolRows.Row(Ids.pool(), project, spec, NewSandbox.now());
    try (Hold _ = quotas.hold(project, charge(row))) {
      rows.insert(row);
      return info(begin(row));
    } catch (AtollException e) {
      if (e.code() == ErrorCode.CONFLICT) {
        throw new AtollException(
            ErrorCode.NAME_TAKEN,
            "there is a pool named " + spec.name() + " already",
            "use it, delete it, or choose another name");
      }
      throw e;
    }
  }

  public List<PoolInfo> list(String project) {
    return pools.values().stream()
        .filter(pool -> pool.row().project().equals(project))
        .sorted(Comparator.comparing(pool -> pool.row().createdAt()))
        .map(this::info)
        .toList();
  }

  public PoolInfo get(String project, String idOrName) {
    return info(find(project, idOrName));
  }

  private Pool find(String project, String idOrName) {
    return pools.values().stream()
        .filter(pool -> pool.row().project().equals(project))
        .filter(
            pool -> pool.row().id().equals(idOrName) || idOrName.equals(pool.row().spec().name()))
        .findFirst()
        .orElseThrow(
            () ->
                new AtollException(
                    ErrorCode.POOL_NOT_FOUND,
                    "there is no pool " + idOrName,
                    "list them with `atoll pool ls`"));
  }

  public PoolInfo update(String project, String idOrName, PoolUpdate update) {
    Pool pool = find(project, idOrName);
    PoolSpec old = pool.row().spec();
    PoolSpec spec =
        new PoolSpec(
            old.name(),
            old.template(),
            old.snapshot(),
            update.warm() == null ? old.warm() : update.warm(),
            update.max() == null ? old.max() : update.max(),
            old.cpus(),
            old.memoryMiB(),
            old.diskMiB(),
            old.processes(),
            old.isolation(),
            old.env(),
            old.network(),
            old.secrets());
    PoolRows.Row row = new PoolRows.Row(pool.row().id(), project, spec, pool.row().createdAt());
    Pool changed = new Pool(row, pool.plan(), pool.warm());
    try (Hold _ = quotas.hold(project, charge(row))) {
      rows.update(row);
      pools.put(row.id(), changed);
    }
    changed.warm().resize(spec.warm());
    keeper.wake();
    return info(changed);
  }

  /** Ends a pool with what is ready in it; sandboxes that were claimed from it live on. */
  public void delete(String project, String idOrName) {
    Pool pool = find(project, idOrName);
    rows.delete(pool.row().id());
    pools.remove(pool.row().id());
    keeper.forget(pool.warm());
    pool.warm().close();
  }

  /** A sandbox from the pool: one that is ready, or else one made now. */
  public SandboxInfo claim(String project, String idOrName, ClaimRequest request) {
    Pool pool = find(project, idOrName);
    PoolSpec spec = pool.row().spec();
    if (claimed(pool) >= spec.max()) {
      throw new AtollException(
          ErrorCode.QUOTA_EXCEEDED,
          "pool %s has %d sandboxes, which is its limit".formatted(idOrName, spec.max()),
          "end some of them, or raise the pool's max",
          Map.of("limit", spec.max()),
          null);
    }
    registry.requireRoom(project, 1);
    SandboxSpec wanted = wanted(spec, request);
    secrets.require(project, wanted.secrets());
    NewSandbox describe = new NewSandbox(defaults);
    WarmMachine ready = pool.warm().take();
    if (ready != null) {
      return claim(project, pool, describe.of(ready.blank(), wanted), ready);
    }
    try (Origin origin = pool.plan().origin()) {
      SandboxInfo info = describe.of(Ids.sandbox(), wanted, origin, pool.row().id());
      try (Hold _ = registry.hold(project, info)) {
        return lifecycle.make(project, info, null, origin);
      }
    }
  }

  /** What has waited takes its memory with it, so only the number of sandboxes grows. */
  private SandboxInfo claim(String project, Pool pool, SandboxInfo info, WarmMachine ready) {
    Hold hold;
    try {
      hold = registry.hold(project, info);
    } catch (AtollException e) {
      machines.remove(ready.incarnation());
      pool.warm().left(ready);
      throw e;
    }
    try (hold) {
      return lifecycle.claim(project, info, null, ready);
    } finally {
      pool.warm().left(ready);
    }
  }

  private static SandboxSpec wanted(PoolSpec spec, ClaimRequest request) {
    Map<String, String> env = new HashMap<>(spec.env());
    if (request.env() != null) {
      env.putAll(request.env());
    }
    return new SandboxSpec(
        request.name(),
        spec.template(),
        spec.cpus(),
        spec.memoryMiB(),
        spec.diskMiB(),
        spec.processes(),
        env,
        request.metadata(),
        request.ttlSeconds(),
        request.idleTimeoutSeconds(),
        request.persistent(),
        spec.isolation(),
        spec.snapshot(),
        request.onIdle(),
        null,
        null,
        request.network() == null ? spec.network() : request.network(),
        request.secrets() == null ? spec.secrets() : request.secrets());
  }

  /** How many more may be claimed. */
  private int room(String id) {
    Pool pool = pools.get(id);
    return pool == null ? 0 : pool.row().spec().max() - claimed(pool);
  }

  private int claimed(Pool pool) {
    return (int)
        registry.all().stream().filter(s -> pool.row().id().equals(s.info().pool())).count();
  }

  private PoolInfo info(Pool pool) {
    PoolRows.Row row = pool.row();
    PoolSpec spec = row.spec();
    WarmPool.Statistics now = pool.warm().statistics();
    return new PoolInfo(
        row.id(),
        spec.name(),
        spec.template() == null ? defaults.template() : spec.template(),
        spec.snapshot(),
        spec.warm(),
        spec.max(),
        spec.cpus() == null ? defaults.cpus() : spec.cpus(),
        spec.memoryMiB() == null ? defaults.memoryMiB() : spec.memoryMiB(),
        spec.diskMiB() == null ? defaults.diskMiB() : spec.diskMiB(),
        spec.processes() == null ? defaults.processes() : spec.processes(),
        spec.network() == null ? NetworkPolicy.defaults() : spec.network(),
        now.ready(),
        claimed(pool),
        now.hits(),
        now.misses(),
        now.oldestSeconds(),
        now.lastRefillMillis(),
        now.problem(),
        row.createdAt());
  }

  public Totals totals() {
    List<WarmPool.Statistics> all =
        Stream.of(Stream.of(standard), used.all().stream(), pools.values().stream().map(Pool::warm))
            .flatMap(Function.identity())
            .map(WarmPool::statistics)
            .toList();
    return new Totals(
        all.stream().mapToLong(WarmPool.Statistics::hits).sum(),
        all.stream().mapToLong(WarmPool.Statistics::misses).sum(),
        all.stream().mapToInt(WarmPool.Statistics::ready).sum(),
        all.stream().mapToDouble(s -> seconds(s.oldestSeconds())).max().orElse(0),
        all.stream().mapToLong(WarmPool.Statistics::refills).sum(),
        all.stream().mapToDouble(WarmPool.Statistics::refillSeconds).sum(),
        blanks.size(),
        ahead.size());
  }

  private static double seconds(@Nullable Double value) {
    return value == null ? 0 : value;
  }

  /** Removes all that is ready; claimed sandboxes are not touched. */
  void close() {
    keeper.close();
    standard.close();
    used.close();
    pools.values().forEach(pool -> pool.warm().close());
    blanks.close();
  }
}
