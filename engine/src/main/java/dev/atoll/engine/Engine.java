package dev.atoll.engine;

import dev.atoll.driver.Driver;
import dev.atoll.engine.cache.PackageCache;
import dev.atoll.engine.image.ExportKey;
import dev.atoll.engine.image.ImageStore;
import dev.atoll.engine.image.Unpacker;
import dev.atoll.engine.inject.Injector;
import dev.atoll.engine.jail.Jailer;
import dev.atoll.engine.net.ConnectionLog;
import dev.atoll.engine.net.Network;
import dev.atoll.engine.oci.ImagePuller;
import dev.atoll.engine.program.Programs;
import dev.atoll.engine.quota.Quotas;
import dev.atoll.engine.run.Deadlines;
import dev.atoll.engine.secret.Secrets;
import dev.atoll.engine.secret.UrlSigner;
import dev.atoll.engine.service.Services;
import dev.atoll.engine.store.BuildRows;
import dev.atoll.engine.store.CeilingRows;
import dev.atoll.engine.store.ConnectionRows;
import dev.atoll.engine.store.FileUrlRows;
import dev.atoll.engine.store.ImageRows;
import dev.atoll.engine.store.PoolRows;
import dev.atoll.engine.store.PortRows;
import dev.atoll.engine.store.QuotaRows;
import dev.atoll.engine.store.SandboxRows;
import dev.atoll.engine.store.SecretRows;
import dev.atoll.engine.store.ServiceRows;
import dev.atoll.engine.store.SnapshotRows;
import dev.atoll.engine.store.Store;
import dev.atoll.engine.store.TemplateRows;
import dev.atoll.engine.template.Grounds;
import dev.atoll.engine.template.ImportedRoots;
import dev.atoll.engine.template.TemplateBuilder;
import dev.atoll.engine.template.TemplateSettings;
import dev.atoll.engine.template.Workshop;
import dev.atoll.model.DriverReport;
import dev.atoll.model.QuotaName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Atoll without its front ends. Opening it takes over what an earlier engine left running; closing
 * it leaves everything running for the next one.
 */
public final class Engine implements AutoCloseable {
  private static final Duration REAP_EVERY = Duration.ofMillis(500);
  private static final Duration WEIGH_EVERY = Duration.ofMillis(500);
  private static final Duration PREPARE_EVERY = Duration.ofMillis(50);
  private static final Duration EXPIRE_EVERY = Duration.ofMinutes(5);
  private static final Duration PORTS_SWEPT_EVERY = Duration.ofSeconds(1);

  private final Store store;
  private final Deadlines deadlines = new Deadlines();
  private final DriverChoice drivers;
  private final Lifecycle lifecycle;
  private final Sandboxes sandboxes;
  private final Programs programs;
  private final Spaces spaces;
  private final Snapshots snapshots;
  private final Pools pools;
  private final ForkAhead ahead;
  private final Network network;
  private final Secrets secrets;
  private final Ports ports;
  private final FileUrls fileUrls;
  private final Services services;
  private final ApiKeys keys;
  private final Templates templates;
  private final TemplateBuilds templateBuilds;
  private final TemplateVersions templateVersions;
  private final ImageStore images;
  private final Backups backups;
  private final Quotas quotas;

  private Engine(EngineConfig config, Store store, List<Driver> available, LongSupplier memory) {
    this.store = store;
    this.drivers = new DriverChoice(available);
    this.keys = new ApiKeys(store);
    TemplateRows templateRows = new TemplateRows(store);
    Jailer jailer = Jailer.install(config.dataDirectory().resolve("bin"));
    Unpacker unpacker = new Unpacker(jailer);
    this.network =
        new Network(config.network(), new ConnectionRows(store), new CeilingRows(store), deadlines);
    network.packages(
        new PackageCache(
            config.packages(),
            config.packageCache(),
            network.upstreams(config.packages(), config.templates())));
    this.secrets = new Secrets(new SecretRows(store), config.secrets(), config.dataDirectory());
    Workshop workshop =
        new Workshop(
            config.sandboxes(),
            (machine, project, policy, rootfs) ->
                network.open(machine, project, policy, network.registries(rootfs)),
            deadlines,
            config.run(),
            config.template(),
            Identity.NETWORK);
    this.templates =
        new Templates(
            config.templateDirectory(),
            templateRows,
            new TemplateBuilder(config.templates(), workshop, grounds(config, jailer, unpacker)),
            new ImportedRoots(config.templates()),
            drivers);
    SandboxRows rows = new SandboxRows(store);
    SnapshotRows snapshotRows = new SnapshotRows(store);
    ImageRows imageRows = new ImageRows(store);
    this.images =
        new ImageStore(config.snapshots(), config.state().hotBytes(), unpacker, imageRows);
    this.quotas = new Quotas(config.quotas(), new QuotaRows(store));
    Registry registry = new Registry(quotas, store, rows);
    Blanks blanks = new Blanks(config.sandboxes(), config.state().blanks());
    Machines machines = new Machines(config.sandboxes(), blanks, deadlines, config.run());
    Origins origins =
        new Origins(config.sandbox().template(), drivers, templates, snapshotRows, images);
    WarmPool standard =
        new WarmPool(
            "default",
            config.state().warm(),
            machines,
            new PlainPlan(
                "", config.sandbox().template(), config.sandbox(), templates, drivers, origins));
    UsedTemplates used =
        new UsedTemplates(
            use ->
                new WarmPool(
                    use.template(),
                    Math.min(1, config.state().warm()),
                    machines,
                    new PlainPlan(
                        use.project(),
                        use.template(),
                        config.sandbox(),
                        templates,
                        drivers,
                        origins)),
            Clock.systemUTC());
    this.lifecycle =
        new Lifecycle(
            config.sandbox(),
            registry,
            machines,
            origins,
            images,
            standard,
            used,
            network,
            secrets,
            new Injector(secrets, config.secrets()));
    this.backups = new Backups(config.dataDirectory(), store, images);
    recover(
        new Recovery(
            config, rows, snapshotRows, drivers, registry, lifecycle, machines, templates, images));
    imageRows.keep(images.ids());
    this.templateBuilds =
        new TemplateBuilds(
            templates,
            templateRows,
            new BuildRows(store),
            config.template(),
            config.builds(),
            quotas);
    DiskUse disk = new DiskUse(registry, snapshotRows, templateRows, templates, images);
    quotas.count(Set.of(QuotaName.DISK), disk::of);
    disk.measure();
    this.snapshots =
        new Snapshots(
            config.state(),
            snapshotRows,
            rows,
            registry,
            lifecycle,
            images,
            templates,
            drivers,
            origins,
            new SnapshotFiles(machines, origins),
            new TrustedServers(
                new ExportKey(config.dataDirectory()),
                config.dataDirectory().resolve("trusted-servers")),
            machines.room(),
            quotas,
            disk);
    this.ahead =
        new ForkAhead(
            config.state(), registry, lifecycle, machines, images, drivers, memory, quotas);
    Checkpoints checkpoints =
        new Checkpoints(snapshotRows, snapshots, origins, machines, registry, lifecycle);
    lifecycle.watchRuns(checkpoints::afterRun);
    lifecycle.onEnd(
        sandbox -> {
          checkpoints.ended(sandbox);
          snapshots.ended();
        });
    checkpoints.sweep();
    this.sandboxes =
        new Sandboxes(
            rows,
            registry,
            lifecycle,
            new Forks(registry, lifecycle, machines, images, drivers, memory, ahead),
            new Merges(rows, registry, lifecycle),
            checkpoints,
            new StateTrees(rows, snapshotRows),
            new Diffs(rows, registry, lifecycle, machines, origins));
    this.fileUrls =
        new FileUrls(
            new UrlSigner(config.dataDirectory()),
            new FileUrlRows(store),
            registry,
            sandboxes,
            network.connections());
    this.programs = new Programs(sandboxes, templates, config.sandbox(), config.run());
    PortRows portRows = new PortRows(store);
    Shares shares = new Shares(portRows);
    this.ports = new Ports(config.ports(), portRows, shares, registry, lifecycle);
    this.services =
        new Services(
            sandboxes,
            snapshots,
            ports,
            shares,
            new ServiceRows(store),
            deadlines,
            config.services(),
            quotas);
    sandboxes.keep(services);
    snapshots.keep(services);
    services.recover();
    this.spaces = new Spaces(rows, registry, lifecycle);
    PoolKeeper keeper = new PoolKeeper(machines, memory);
    this.pools =
        new Pools(
            config.sandbox(),
            new PoolRows(store),
            registry,
            lifecycle,
            machines,
            origins,
            templates,
            standard,
            used,
            blanks,
            ahead,
            keeper,
            secrets,
            quotas);
    this.templateVersions =
        new TemplateVersions(
            templates, templateRows, registry, snapshotRows, new PoolRows(store), keeper::drop);
    snapshots.keepRoots(pools::digests);
    keeper.start();
    deadlines.every(DiskUse.MEASURED_EVERY, "disk-use", disk::measure);
    deadlines.every(REAP_EVERY, "reaper", new Reaper(registry, lifecycle)::tick);
    deadlines.every(WEIGH_EVERY, "cpu-weights", new CpuWeights(registry)::tick);
    deadlines.every(PREPARE_EVERY, "fork-ahead", ahead::tick);
    deadlines.every(EXPIRE_EVERY, "snapshot-retention", snapshots::expire);
    deadlines.every(PORTS_SWEPT_EVERY, "port-idle", ports::sweep);
    deadlines.every(EXPIRE_EVERY, "port-shares", ports::purge);
    deadlines.every(EXPIRE_EVERY, "file-urls", fileUrls::purge);
    store.ready();
  }

  private Grounds grounds(EngineConfig config, Jailer jailer, Unpacker unpacker) {
    TemplateSettings settings = config.template();
    ImagePuller.Proxies proxies = () -> network.proxy(settings.insecureHosts());
    return new Grounds(
        new ImagePuller(proxies, settings.insecureHosts(), settings.maxBytes(), unpacker),
        proxies,
        new RegistryPasswords(secrets)::of,
        jailer,
        unpacker,
        settings.maxBytes());
  }

  private static void recover(Recovery recovery) {
    try {
      recovery.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Opens the engine on its data directory. No other engine may use the same directory.
   *
   * @param drivers the strongest boundary first
   */
  public static Engine open(EngineConfig config, List<Driver> drivers) {
    return open(config, drivers, HostMemory.available());
  }

  static Engine open(EngineConfig config, List<Driver> drivers, LongSupplier memory) {
    return open(config, drivers, memory, step -> {});
  }

  static Engine open(
      EngineConfig config, List<Driver> drivers, LongSupplier memory, Store.Steps steps) {
    try {
      Files.createDirectories(
          config.dataDirectory(),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Store store = Store.open(config.dataDirectory().resolve("atoll.db"), steps);
    boolean done = false;
    try {
      Engine engine = new Engine(config, store, drivers, memory);
      done = true;
      return engine;
    } finally {
      if (!done) {
        store.close();
      }
    }
  }

  public Sandboxes sandboxes() {
    return sandboxes;
  }

  /** Programs that run once. */
  public Programs programs() {
    return programs;
  }

  public Spaces spaces() {
    return spaces;
  }

  public Snapshots snapshots() {
    return snapshots;
  }

  public Pools pools() {
    return pools;
  }

  /** The record of what sandboxes reached, and of what they were refused. */
  public ConnectionLog connections() {
    return network.connections();
  }

  public Secrets secrets() {
    return secrets;
  }

  /** What sandboxes reach, and what bounds the projects. */
  public Network network() {
    return network;
  }

  /** The ways into sandboxes. */
  public Ports ports() {
    return ports;
  }

  /** URLs by which others reach single files of sandboxes. */
  public FileUrls fileUrls() {
    return fileUrls;
  }

  /** Programs that are reachable at an address of their own. */
  public Services services() {
    return services;
  }

  /** How much projects may have. */
  public Quotas quotas() {
    return quotas;
  }

  public ApiKeys keys() {
    return keys;
  }

  public Templates templates() {
    return templates;
  }

  public TemplateBuilds templateBuilds() {
    return templateBuilds;
  }

  public TemplateVersions templateVersions() {
    return templateVersions;
  }

  /** All that there is, as one file. */
  public Backups backups() {
    return backups;
  }

  ImageStore images() {
    return images;
  }

  public List<DriverReport> drivers() {
    return drivers.reports();
  }

  /** The same, each tried anew. */
  public List<DriverReport> freshDrivers() {
    return drivers.freshReports();
  }

  /** What an administrator should know besides, a line each. */
  public List<String> advice() {
    return network.advice();
  }

  /** Whether a sandbox could be made now. */
  public boolean ready() {
    return drivers.first().isPresent();
  }

  @Override
  public void close() {
    templateBuilds.close();
    services.close();
    // Machines on their way still need the clock.
    ahead.close();
    pools.close();
    deadlines.close();
    snapshots.close();
    network.close();
    lifecycle.detach();
    store.close();
  }
}
