package dev.atoll.server.http;

import static dev.atoll.server.http.Route.delete;
import static dev.atoll.server.http.Route.get;
import static dev.atoll.server.http.Route.patch;
import static dev.atoll.server.http.Route.post;
import static dev.atoll.server.http.Route.put;

import dev.atoll.engine.Engine;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * The table of all operations. {@code spec/openapi.yaml} describes the same; a test compares them.
 */
final class ApiRoutes {
  private static final String SANDBOX = "/v1/sandboxes/{sb}";
  private static final String CONTEXT = SANDBOX + "/contexts/{name}";
  private static final String PROCESS = SANDBOX + "/processes/{run}";
  private static final String FILES = SANDBOX + "/files";
  private static final String[] SIGNED_READ = {"path", "expires", "signature"};
  private static final String[] SIGNED_WRITE = {"path", "expires", "maxBytes", "signature"};
  private static final String NETWORK = SANDBOX + "/network";
  private static final String PROJECT_NETWORK = "/v1/projects/{project}/network";
  private static final String PROJECT_QUOTA = "/v1/projects/{project}/quota";
  private static final String SNAPSHOT = "/v1/snapshots/{snap}";
  private static final String POOL = "/v1/pools/{pool}";
  private static final String SERVICE = "/v1/services/{name}";
  private static final String TEMPLATE = "/v1/templates/{name}";
  private static final String SECRET = "/v1/secrets/{name}";

  private final Engine engine;
  private final McpHandler agents;
  private final Metrics metrics;
  private final Shutdown shutdown;
  private final RunAnswer answer;

  ApiRoutes(Engine engine, McpHandler agents, Metrics metrics, Shutdown shutdown) {
    this.engine = engine;
    this.agents = agents;
    this.metrics = metrics;
    this.shutdown = shutdown;
    this.answer = new RunAnswer(metrics, shutdown);
  }

  List<Route> all(String version, Instant startedAt) {
    return Stream.of(
            server(new ServerOperations(engine, metrics, shutdown, version, startedAt)),
            documents(),
            templates(),
            sandboxes(),
            packages(),
            contexts(),
            programs(),
            processes(),
            files(),
            snapshots(),
            state(),
            pools(),
            services(),
            network(),
            secrets(),
            projects(),
            quotas(),
            ports(),
            agents(),
            keys())
        .flatMap(List::stream)
        .toList();
  }

  private static List<Route> server(ServerOperations server) {
    return List.of(
        get("/healthz", server::healthy).open(Access.OPEN),
        get("/readyz", server::ready).open(Access.OPEN),
        get("/metrics", server::metrics).open(Access.LOCAL),
        get("/v1/server", server::info).taking("fresh"));
  }

  private List<Route> agents() {
    return List.of(
        post("/mcp", agents::post),
        get("/mcp", agents::listen).streaming(),
        delete("/mcp", agents::delete));
  }

  private static List<Route> documents() {
    ApiDocuments documents = new ApiDocuments();
    return List.of(
        get("/", exchange -> exchange.redirect("/docs")).open(Access.OPEN),
        get("/docs", documents::page).open(Access.OPEN),
        get("/openapi.yaml", documents::spec).open(Access.OPEN));
  }

  private List<Route> templates() {
    TemplateOperations templates = new TemplateOperations(engine);
    return List.of(
        get("/v1/templates", templates::list),
        post("/v1/templates", new CreateTemplateHandler(engine, shutdown)),
        get(TEMPLATE, templates::get).taking("owner", "tag", "version"),
        delete(TEMPLATE, templates::delete).taking("version"),
        post(TEMPLATE + "/build", new BuildTemplateHandler(engine, shutdown))
            .taking("owner", "tag", "version"),
        get(TEMPLATE + "/builds", templates::builds),
        delete(TEMPLATE + "/builds/{build}", templates::cancel),
        get(TEMPLATE + "/builds/{build}/logs", new BuildLogHandler(engine, shutdown)).streaming(),
        put(TEMPLATE + "/tags/{tag}", templates::tag),
        delete(TEMPLATE + "/tags/{tag}", templates::untag),
        put(TEMPLATE + "/shares/{project}", templates::share),
        delete(TEMPLATE + "/shares/{project}", templates::unshare));
  }

  private List<Route> sandboxes() {
    SandboxOperations sandboxes = new SandboxOperations(engine);
    return List.of(
        post("/v1/sandboxes", new CreateSandboxHandler(engine)),
        get("/v1/sandboxes", new ListSandboxesHandler(engine))
            .taking("limit", "cursor", "state", "name", "all", "metadata."),
        get(SANDBOX, sandboxes::get),
        patch(SANDBOX, sandboxes::update),
        delete(SANDBOX, sandboxes::terminate),
        post(SANDBOX + "/pause", sandboxes::pause),
        post(SANDBOX + "/resume", sandboxes::resume),
        get(SANDBOX + "/stats", sandboxes::stats),
        post(SANDBOX + "/code", new RunCodeHandler(engine, answer)),
        post(SANDBOX + "/commands", new RunCommandHandler(engine, answer)));
  }

  private List<Route> packages() {
    PackageOperations packages = new PackageOperations(engine, answer, shutdown);
    return List.of(
        post(SANDBOX + "/packages", packages::install),
        get(SANDBOX + "/packages", packages::list).taking("manager"));
  }

  private List<Route> contexts() {
    ContextOperations contexts = new ContextOperations(engine);
    return List.of(
        get(SANDBOX + "/contexts", contexts::list),
        post(SANDBOX + "/contexts", contexts::open),
        delete(CONTEXT, contexts::delete),
        post(CONTEXT + "/restart", contexts::restart),
        post(CONTEXT + "/interrupt", contexts::interrupt));
  }

  private List<Route> programs() {
    return List.of(
        post("/v1/execute", new ExecuteHandler(engine, metrics, shutdown)),
        post("/v1/judge", JudgeHandler.inOwnSandbox(engine, shutdown)),
        post(SANDBOX + "/judge", JudgeHandler.inSandbox(engine, shutdown)));
  }

  private List<Route> processes() {
    ProcessOperations processes = new ProcessOperations(engine);
    return List.of(
        post(SANDBOX + "/processes", processes::start),
        get(SANDBOX + "/processes", processes::list),
        get(PROCESS, processes::get),
        delete(PROCESS, processes::forget),
        post(PROCESS + "/stdin", processes::writeStdin).taking("eof"),
        post(PROCESS + "/signal", processes::signal),
        post(PROCESS + "/resize", processes::resize),
        get(PROCESS + "/wait", processes::await).taking("timeoutSeconds").streaming(),
        get(PROCESS + "/pty", new PtyHandler(engine, shutdown))
            .taking("from", "key")
            .open(Access.KEY_OR_QUERY)
            .streaming(),
        get(SANDBOX + "/runs/{run}/events", new FollowRunHandler(engine, answer))
            .taking("from", "hold")
            .streaming(),
        post(SANDBOX + "/runs/{run}/input", processes::answer),
        post(SANDBOX + "/runs/{run}/cancel", processes::cancel));
  }

  private List<Route> files() {
    FileOperations files = new FileOperations(engine);
    FileUrlOperations urls = new FileUrlOperations(engine);
    return List.of(
        get(FILES, new ReadFileHandler(engine)).taking("path"),
        put(FILES, files::write).taking("path", "mode", "parents", "append"),
        delete(FILES, files::remove).taking("path", "recursive"),
        get(FILES + "/stat", files::stat).taking("path"),
        get(FILES + "/list", files::list).taking("path", "depth", "limit"),
        post(FILES + "/directory", files::makeDirectory).taking("path", "parents"),
        post(FILES + "/move", files::move),
        get(FILES + "/watch", new WatchFilesHandler(engine, shutdown))
            .taking("path", "recursive")
            .streaming(),
        get(FILES + "/tar", files::readTar).taking("path").streaming(),
        put(FILES + "/tar", files::writeTar).taking("path"),
        post(FILES + "/urls", urls::create),
        delete(FILES + "/urls", urls::revoke),
        get(FILES + "/signed", urls::read).taking(SIGNED_READ).open(Access.SIGNED),
        put(FILES + "/signed", urls::write).taking(SIGNED_WRITE).open(Access.SIGNED),
        post(FILES + "/signed", urls::write).taking(SIGNED_WRITE).open(Access.SIGNED));
  }

  private List<Route> snapshots() {
    SnapshotOperations snapshots = new SnapshotOperations(engine);
    return List.of(
        post(SANDBOX + "/snapshots", snapshots::create),
        get("/v1/snapshots", new ListSnapshotsHandler(engine))
            .taking("limit", "cursor", "sandbox", "name", "kind", "automatic", "labels."),
        get(SNAPSHOT, snapshots::get),
        delete(SNAPSHOT, snapshots::delete),
        get(SNAPSHOT + "/export", exporting()).streaming(),
        post("/v1/snapshots/import", importing()).taking("name", "kind"));
  }

  private Operation exporting() {
    return new ExportSnapshotHandler(
        (project, snapshot) -> engine.snapshots().get(project, snapshot),
        (project, snapshot, out) -> engine.snapshots().export(project, snapshot, out),
        shutdown);
  }

  private Operation importing() {
    return new ImportSnapshotHandler(
        (project, in, name, kind) -> engine.snapshots().importFrom(project, in, name, kind));
  }

  private List<Route> state() {
    StateOperations state = new StateOperations(engine);
    return List.of(
        post(SANDBOX + "/fork", state::fork),
        post(SANDBOX + "/merge", state::merge),
        post(SANDBOX + "/rewind", state::rewind),
        get(SANDBOX + "/tree", state::tree),
        post(SANDBOX + "/hibernate", state::hibernate),
        post(SANDBOX + "/wake", state::wake),
        get("/v1/diff", state::diff).taking("from", "to"),
        post("/v1/spaces/{name}", new OpenSpaceHandler(engine)));
  }

  private List<Route> pools() {
    PoolOperations pools = new PoolOperations(engine);
    return List.of(
        post("/v1/pools", pools::create),
        get("/v1/pools", pools::list),
        get(POOL, pools::get),
        patch(POOL, pools::update),
        delete(POOL, pools::delete),
        post(POOL + "/claim", pools::claim));
  }

  private List<Route> services() {
    ServiceOperations services = new ServiceOperations(engine);
    return List.of(
        post("/v1/services", new DeployHandler(engine, shutdown)),
        get("/v1/services", services::list),
        get(SERVICE, services::get),
        patch(SERVICE, services::update),
        delete(SERVICE, services::delete),
        get(SERVICE + "/revisions", services::revisions),
        post(SERVICE + "/rollback", services::rollback),
        post(SERVICE + "/stop", services::stop),
        get(SERVICE + "/logs", new ServiceLogHandler(engine, shutdown))
            .taking("tail", "follow")
            .streaming(),
        post(SERVICE + "/shares", services::share),
        get(SERVICE + "/shares", services::shares),
        delete(SERVICE + "/shares/{id}", services::revoke));
  }

  private List<Route> network() {
    NetworkOperations network = new NetworkOperations(engine);
    return List.of(
        get(NETWORK, network::get),
        put(NETWORK, network::replace),
        post(NETWORK + "/allow", network::allow),
        post(NETWORK + "/deny", network::deny),
        post(NETWORK + "/remove", network::remove),
        get("/v1/connections", new ListConnectionsHandler(engine, shutdown))
            .taking("sandbox", "verdict", "since", "until", "limit", "cursor", "follow")
            .streaming());
  }

  private List<Route> secrets() {
    SecretOperations secrets = new SecretOperations(engine);
    return List.of(
        post("/v1/secrets", secrets::create),
        get("/v1/secrets", secrets::list),
        get(SECRET, secrets::get),
        put(SECRET, secrets::put),
        delete(SECRET, secrets::delete));
  }

  private List<Route> projects() {
    ProjectOperations projects = new ProjectOperations(engine);
    return List.of(
        get("/v1/backup", new BackupHandler(engine, shutdown)).streaming(),
        get(PROJECT_NETWORK, projects::network),
        put(PROJECT_NETWORK, projects::setCeiling),
        delete(PROJECT_NETWORK, projects::resetCeiling));
  }

  private List<Route> quotas() {
    QuotaOperations quotas = new QuotaOperations(engine);
    return List.of(
        get("/v1/quota", quotas::own),
        get("/v1/quotas", quotas::all),
        get(PROJECT_QUOTA, quotas::get),
        put(PROJECT_QUOTA, quotas::set),
        delete(PROJECT_QUOTA, quotas::clear));
  }

  private List<Route> ports() {
    PortOperations ports = new PortOperations(engine);
    return List.of(
        get(SANDBOX + "/ports", ports::list),
        get(SANDBOX + "/ports/{port}", ports::get),
        put(SANDBOX + "/ports/{port}", ports::update),
        post(SANDBOX + "/shares", ports::share),
        get(SANDBOX + "/shares", ports::shares),
        delete(SANDBOX + "/shares/{id}", ports::revoke),
        get(SANDBOX + "/tcp/{port}", new TcpHandler(engine)).streaming());
  }

  private List<Route> keys() {
    KeyOperations keys = new KeyOperations(engine);
    return List.of(
        get("/v1/keys", keys::list),
        post("/v1/keys", keys::create),
        delete("/v1/keys/{id}", keys::revoke));
  }
}
