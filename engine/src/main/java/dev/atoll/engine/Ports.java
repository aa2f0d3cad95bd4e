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
 * <p>What is public or shared belongs to one sandbox; its forks have nothing of it.
 */
public final class Ports implements Doors {
  private static final Duration LIST_DEADLINE = Duration.ofSeconds(10);
  private static final int LAST_PORT = 65_535;

  /** A guest names its programs; the kernel knows 15 characters of them, and no more is of use. */
  private static final int LONGEST_PROGRAM = 256;

  private final PortSettings settings;
  private final PortRows rows;
  private final Shares shares;
  private final Registry registry;
  private final Lifecycle lifecycle;

  Ports(
      PortSettings settings, PortRows rows, Shares shares, Registry registry, Lifecycle lifecycle) {
    this.settings = settings;
    this.rows = rows;
    this.shares = shares;
    this.registry = registry;
    this.lifecycle = lifecycle;
  }

  /** The ports that programs listen on, and those that are public; a hibernated sandbox wakes. */
  public List<PortInfo> list(String project, String idOrName) {
    LiveSandbox sandbox = registry.require(project, idOrName);
    Map<Integer, PortInfo> found = new TreeMap<>();
    Set<Integer> open = new HashSet<>(rows.publicPorts(sandbox.id()));
    open.forEach(port -> found.put(port, info(port, null, true)));
    for (Port port : listening(sandbox)) {
      if (port.getPort() < 1 || port.getPort() > LAST_PORT) {
        continue;
      }
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
        port == null || port.getProgram().isEmpty() ? null : bounded(port.getProgram()),
        open ? PortAccess.PUBLIC : PortAccess.PRIVATE,
        null);
  }

  private static String bounded(String program) {
    return program.length() > LONGEST_PROGRAM ? program.substring(0, LONGEST_PROGRAM) : program;
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
    return shares.create(idOf(project, idOrName), request);
  }

  /** The tokens that are still good, without themselves. */
  public List<PortShare> shares(String project, String idOrName) {
    return shares.list(idOf(project, idOrName));
  }

  /** Makes a token worthless from the next connection on. */
  public void revoke(String project, String idOrName, String share) {
    shares.revoke(idOf(project, idOrName), share, "list them with `atoll share " + idOrName + "`");
  }

  @Override
  public Optional<Grant> opens(String token) {
    return shares
        .opens(token)
        .flatMap(
            opened ->
                projectOf(opened.sandbox())
                    .map(project -> new Grant(project, opened.sandbox(), opened.port())));
  }

  @Override
  public Optional<String> projectOf(String id) {
    LiveSandbox sandbox = registry.live(id);
    return sandbox == null ? Optional.empty() : Optional.of(sandbox.project());
  }

  /** The id of a living sandbox. */
  @Override
  public String idOf(String project, String idOrName) {
    return registry.require(project, idOrName).id();
  }

  @Override
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
