package dev.atoll.engine;

import dev.atoll.engine.net.PortConnection;
import dev.atoll.engine.net.PortSettings;
import dev.atoll.engine.store.PortRows;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.PortAccess;
import dev.atoll.model.PortInfo;
import dev.atoll.model.PortShare;
import dev.atoll.model.ShareRequest;
import dev.atoll.protocol.wire.Port;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The ports of sandboxes: which there are, who may reach them, and the way to them.
 *
 * <p>Tokens are random, as API keys are, and only their hash is kept. What is public or shared
 * belongs to one sandbox; its forks have nothing of it.
 */
public final class Ports {
  private static final String TOKEN = "apt_";
  private static final int MAX_SHARES = 1000;
  private static final Duration LIST_DEADLINE = Duration.ofSeconds(10);

  private final PortSettings settings;
  private final PortRows rows;
  private final Registry registry;
  private final Lifecycle lifecycle;

  Ports(PortSettings settings, PortRows rows, Registry registry, Lifecycle lifecycle) {
    this.settings = settings;
    this.rows = rows;
    this.registry = registry;
    this.lifecycle = lifecycle;
  }

  /** What a token opens, and whose it is. */
  public record Grant(String project, String sandbox, int port) {}

  /** The ports that programs listen on, and those that are public; a hibernated sandbox wakes. */
  public List<PortInfo> list(String project, String idOrName) {
    LiveSandbox sandbox = registry.require(project, idOrName);
    Map<Integer, PortInfo> found = new TreeMap<>();
    Set<Integer> open = new HashSet<>(rows.publicPorts(sandbox.id()));
    open.forEach(port -> found.put(port, info(port, null, true)));
    for (Port port : listening(sandbox)) {
      found.put(port.getPort(), info(port.getPort(), port, open.contains(port.getPort())));
    }
    return List.copyOf(found.values());
  }

  private static PortInfo info(int number, @Nullable Port port, boolean open) {
    return new PortInfo(
        number,
        port != null,
        port != null && port.getLoopback(),
        port == null || port.getPid() == 0 ? null : (Integer) port.getPid(),
        port == null || port.getProgram().isEmpty() ? null : port.getProgram(),
        open ? PortAccess.PUBLIC : PortAccess.PRIVATE,
        null);
  }

  private List<Port> listening(LiveSandbox sandbox) {
    lifecycle.enter(sandbox);
    try {
      return sandbox.guest().ports(LIST_DEADLINE).stream()
          .filter(port -> port.getPort() > 0 && port.getPort() <= 65_535)
          .toList();
    } finally {
      sandbox.leave();
    }
  }

  /** One port, whether anything listens on it or not. */
  public PortInfo get(String project, String idOrName, int port) {
    LiveSandbox sandbox = registry.require(project, idOrName);
    Port found =
        listening(sandbox).stream().filter(p -> p.getPort() == port).findFirst().orElse(null);
    return info(port, found, rows.isPublic(sandbox.id(), port));
  }

  /** Says who may reach a port, from the next connection on. */
  public void access(String project, String idOrName, int port, PortAccess access) {
    LiveSandbox sandbox = registry.require(project, idOrName);
    rows.setPublic(sandbox.id(), port, access == PortAccess.PUBLIC);
  }

  /** Makes a token to a port; it is in this answer and nowhere else. */
  public PortShare share(String project, String idOrName, ShareRequest request) {
    LiveSandbox sandbox = registry.require(project, idOrName);
    Instant now = Instant.now();
    if (rows.shares(sandbox.id(), now).size() >= MAX_SHARES) {
      throw new AtollException(
          ErrorCode.QUOTA_EXCEEDED,
          "the sandbox has " + MAX_SHARES + " shares",
          "revoke some of them",
          Map.of("limit", MAX_SHARES),
          null);
    }
    String token = Tokens.next(TOKEN);
    PortShare share =
        new PortShare(
            Ids.share(),
            request.port(),
            Instant.ofEpochMilli(now.toEpochMilli()),
            now.plusMillis(Math.round(request.lifetime() * 1000)),
            token,
            null);
    rows.insert(sandbox.id(), share, Tokens.hash(token));
    return share;
  }

  /** The tokens that are still good, without themselves. */
  public List<PortShare> shares(String project, String idOrName) {
    return rows.shares(registry.require(project, idOrName).id(), Instant.now());
  }

  /** Makes a token worthless from the next connection on. */
  public void revoke(String project, String idOrName, String share) {
    if (!rows.delete(registry.require(project, idOrName).id(), share)) {
      throw new AtollException(
          ErrorCode.NOT_FOUND,
          "there is no share " + share,
          "list them with `atoll share " + idOrName + "`");
    }
  }

  /** What a token opens; empty when it is unknown, expired or revoked. */
  public Optional<Grant> opens(String token) {
    return token.startsWith(TOKEN)
        ? rows.find(Tokens.hash(token), Instant.now())
            .flatMap(
                opened ->
                    projectOf(opened.sandbox())
                        .map(project -> new Grant(project, opened.sandbox(), opened.port())))
        : Optional.empty();
  }

  /** Whose sandbox that is, by its id; empty when it has ended. */
  public Optional<String> projectOf(String id) {
    LiveSandbox sandbox = registry.live(id);
    return sandbox == null ? Optional.empty() : Optional.of(sandbox.project());
  }

  /** The id of a living sandbox. */
  public String idOf(String project, String idOrName) {
    return registry.require(project, idOrName).id();
  }

  /** Whether everybody may reach a port of the sandbox of that id. */
  public boolean isPublic(String id, int port) {
    return rows.isPublic(id, port);
  }

  /**
   * Connects to a port; a hibernated sandbox wakes. Bytes that pass count as use of the sandbox, a
   * connection that is merely open does not.
   */
  public PortConnection connect(String project, String idOrName, int port) {
    LiveSandbox sandbox = registry.require(project, idOrName);
    lifecycle.enter(sandbox);
    try {
      return sandbox.ingress().open(sandbox.guest(), port, settings);
    } catch (AtollException e) {
      throw e.code() == ErrorCode.PORT_NOT_LISTENING ? explained(e, sandbox) : e;
    } finally {
      sandbox.leave();
    }
  }

  /** Says which ports could have been meant. */
  private AtollException explained(AtollException e, LiveSandbox sandbox) {
    List<Integer> ports = listening(sandbox).stream().map(Port::getPort).sorted().toList();
    Map<String, Object> details = new HashMap<>(e.details());
    details.put("listening", ports);
    return new AtollException(
        e.code(),
        String.valueOf(e.getMessage()),
        ports.isEmpty()
            ? "nothing listens on any port yet; start the program first"
            : "these ports are listened on: "
                + String.join(", ", ports.stream().map(String::valueOf).toList()),
        details,
        e);
  }

  /** How many connections stand to the ports of all sandboxes. */
  public int openConnections() {
    return registry.all().stream().mapToInt(s -> s.ingress().openConnections()).sum();
  }

  void sweep() {
    registry.all().forEach(sandbox -> sandbox.ingress().sweep(settings.idleTimeout()));
  }

  void purge() {
    rows.purge(Instant.now());
  }
}
