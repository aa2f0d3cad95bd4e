package dev.atoll.engine.net;

import dev.atoll.engine.cache.PackageCache;
import dev.atoll.engine.guest.ChannelHandler;
import dev.atoll.engine.guest.EgressListener;
import dev.atoll.engine.guest.GuestChannel;
import dev.atoll.engine.guest.NetworkTrouble;
import dev.atoll.engine.inject.SandboxSecrets;
import dev.atoll.model.Connection;
import dev.atoll.model.ConnectionVerdict;
import dev.atoll.model.ConnectionWay;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.protocol.wire.Connect;
import dev.atoll.protocol.wire.Resolve;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The way out of one sandbox, whichever machine it lives in: give it to the guest of each with
 * {@link dev.atoll.engine.guest.Guest#egress}. Made by {@link Network#open}.
 */
public final class Egress implements EgressListener, AutoCloseable {
  /** Refusals on record: so many a second, after a burst; a hostile guest makes no more. */
  private static final int REFUSALS_PER_SECOND = 20;

  private static final int REFUSALS_BURST = 1000;

  private final Network network;
  private final ProjectNetwork project;
  private final String sandbox;
  private final RegistrySource registries;
  private final TrafficAccount account;
  private final AskedNames names;
  private final AtomicLong buffers;
  private final Advice advice;
  private final Set<EgressConnection> connections = ConcurrentHashMap.newKeySet();
  private final TokenBucket refusals =
      new TokenBucket(REFUSALS_PER_SECOND, Duration.ofSeconds(1), REFUSALS_BURST);
  private final AtomicLong unrecorded = new AtomicLong();
  private volatile @Nullable SandboxSecrets secrets;
  private volatile NetworkPolicy policy;
  private volatile boolean closed;
  private volatile @Nullable NetworkTrouble trouble;

  Egress(
      Network network,
      ProjectNetwork project,
      String sandbox,
      NetworkPolicy policy,
      RegistrySource registries,
      TrafficAccount account) {
    this.network = network;
    this.project = project;
    this.sandbox = sandbox;
    this.policy = policy;
    this.registries = registries;
    this.account = account;
    this.names = new AskedNames(account, network.resolver());
    this.buffers = new AtomicLong(network.settings().bufferBytes());
    this.advice = new Advice(sandbox);
  }

  @Override
  public ChannelHandler connect(GuestChannel channel, Connect request) {
    EgressConnection connection = new EgressConnection(this, channel, request);
    connections.add(connection);
    if (closed) {
      connection.end(Ending.broken("the sandbox has ended"));
    }
    Thread.ofVirtual().name("egress-" + sandbox).start(connection::run);
    return connection;
  }

  @Override
  public ChannelHandler resolve(GuestChannel channel, Resolve request) {
    NameQuestion question = new NameQuestion(this, channel, request.getName());
    Thread.ofVirtual().name("resolve-" + sandbox).start(question::run);
    return question;
  }

  /** Notes what a program will not tell whoever runs it. */
  void trouble(ErrorCode code, String message) {
    trouble = new NetworkTrouble(Instant.now(), code, message);
  }

  @Override
  public @Nullable NetworkTrouble troubleSince(Instant then) {
    NetworkTrouble last = trouble;
    return last == null || last.at().isBefore(then) ? null : last;
  }

  public NetworkPolicy policy() {
    return policy;
  }

  /** Takes effect at once; open connections that it does not allow are closed. */
  public void policy(NetworkPolicy newPolicy) {
    policy = newPolicy;
    recheck();
  }

  /** What new connections are given from now on; open ones go on as they began. */
  public void secrets(SandboxSecrets newSecrets) {
    secrets = newSecrets;
  }

  /** The secrets for a connection to there; null when it has none and passes untouched. */
  @Nullable SandboxSecrets secretsFor(Target target) {
    SandboxSecrets now = secrets;
    return now != null && target.isName() && now.bind(target.host(), target.port()) ? now : null;
  }

  void recheck() {
    connections.forEach(EgressConnection::recheck);
  }

  /** What answers there by itself, so that nothing is dialled; null when nothing does. */
  @Nullable PackageCache inside(Target target) {
    return PackageCache.is(target.host(), target.port()) ? network.packages() : null;
  }

  /** How many connections are open or being opened. */
  public int openConnections() {
    return connections.size();
  }

  /** Bytes both ways since midnight UTC. */
  public long bytesToday() {
    return account.bytesToday();
  }

  /** How many different names it has had looked up. */
  public long distinctNames() {
    return names.distinct();
  }

  /** Closes all connections; new ones are refused. */
  @Override
  public void close() {
    closed = true;
    connections.forEach(c -> c.end(Ending.broken("the sandbox has ended")));
    network.closed(this);
  }

  void sweep(long now) {
    Duration timeout = network.settings().idleTimeout();
    connections.forEach(connection -> connection.endIfIdle(now, timeout));
  }

  // For the connections.

  Network network() {
    return network;
  }

  RegistrySource registries() {
    return registries;
  }

  public @Nullable NetworkPolicy ceiling() {
    return project.ceiling();
  }

  PolicyCheck check() {
    return new PolicyCheck(
        policy, project.ceiling(), registries.current(), registries.ofHost(), advice);
  }

  TrafficAccount account() {
    return account;
  }

  AskedNames names() {
    return names;
  }

  AtomicLong buffers() {
    return buffers;
  }

  ConnectionEntry entry(String name, int port, ConnectionWay way) {
    return new ConnectionEntry(sandbox, project.name(), name, port, way);
  }

  void ended(EgressConnection connection) {
    connections.remove(connection);
  }

  void record(Connection connection) {
    if (connection.verdict() == ConnectionVerdict.ALLOWED) {
      network.connections().record(connection);
      return;
    }
    if (!refusals.tryTake(1)) {
      unrecorded.incrementAndGet();
      return;
    }
    long missing = unrecorded.getAndSet(0);
    if (missing > 0) {
      ConnectionEntry note = entry("*", 0, ConnectionWay.OTHER);
      note.detail(missing + " more were refused or failed and are not on record one by one");
      network.connections().record(note.toConnection(Ending.refused("limit", "flood"), false));
    }
    network.connections().record(connection);
  }
}
