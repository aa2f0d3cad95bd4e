package dev.atoll.engine.net;

import dev.atoll.model.Connection;
import dev.atoll.model.ConnectionWay;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** What the record will say of one connection, as far as it is known. */
final class ConnectionEntry {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final String id = "con_" + Long.toString(RANDOM.nextLong() >>> 1, 36);
  private final Instant time = Instant.now();
  private final long startNanos = System.nanoTime();
  private final String sandbox;
  private final String project;
  private final String name;
  private final int port;
  private final ConnectionWay way;
  private final LongAdder sent = new LongAdder();
  private final LongAdder received = new LongAdder();
  private final Set<String> secrets = new ConcurrentSkipListSet<>();
  private volatile String rule = "";
  private volatile @Nullable String address;
  private volatile @Nullable String detail;
  private volatile @Nullable String note;

  ConnectionEntry(String sandbox, String project, String name, int port, ConnectionWay way) {
    this.sandbox = sandbox;
    this.project = project;
    this.name = Target.printable(name);
    this.port = port;
    this.way = way;
  }

  void rule(String newRule) {
    rule = newRule;
  }

  void address(InetAddress newAddress) {
    address = newAddress.getHostAddress();
  }

  /** Says more about the reason. */
  void detail(String text) {
    detail = text;
  }

  /** Says what went wrong in a connection that ended as it should. */
  void note(String text) {
    note = text;
  }

  /** Notes which secrets its requests were given, by name. */
  void secrets(Collection<String> names) {
    secrets.addAll(names);
  }

  void sent(int bytes) {
    sent.add(bytes);
  }

  void received(int bytes) {
    received.add(bytes);
  }

  Connection toConnection(Ending ending, boolean open) {
    String word = ending.reason();
    String more = detail;
    return new Connection(
        id,
        time,
        sandbox,
        project,
        name,
        address,
        port,
        way,
        ending.verdict(),
        ending.rule() == null ? rule : ending.rule(),
        word == null ? note : more == null ? word : word + ": " + more,
        sent.sum(),
        received.sum(),
        open ? null : Duration.ofNanos(System.nanoTime() - startNanos).toMillis(),
        List.copyOf(secrets));
  }
}
