package dev.atoll.engine.net;

import dev.atoll.engine.ConnectionQuery;
import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.run.Deadlines;
import dev.atoll.engine.store.CeilingRows;
import dev.atoll.engine.store.ConnectionRows;
import dev.atoll.engine.store.Store;
import dev.atoll.model.Connection;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.NetworkRule;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** A sandbox's way out with a guest that the test plays; names mean what the test says. */
final class EgressHarness implements AutoCloseable {
  static final String PROJECT = "demo";
  static final String SANDBOX = "sbx_1";
  static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  final Map<String, List<InetAddress>> names = new ConcurrentHashMap<>();
  final FakeGuestStream guest = new FakeGuestStream();
  final List<Guest.Loss> losses = new CopyOnWriteArrayList<>();
  final Network network;
  final Egress egress;
  private final Set<String> unanswered = ConcurrentHashMap.newKeySet();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Deadlines deadlines = new Deadlines();
  private final Store store;

  EgressHarness(Path folder, NetworkPolicy policy) {
    this(folder, policy, NetworkSettings.defaults());
  }

  EgressHarness(Path folder, NetworkPolicy policy, NetworkSettings settings) {
    this(folder, policy, settings, Registries.none(), List.of(NetworkRule.parse("127.0.0.1")));
  }

  EgressHarness(
      Path folder,
      NetworkPolicy policy,
      NetworkSettings settings,
      Registries registries,
      List<NetworkRule> reachable) {
    store = Store.open(folder.resolve("atoll.db"));
    network =
        new Network(
            settings,
            new ConnectionRows(store),
            new CeilingRows(store),
            deadlines,
            new Resolver(this::lookup),
            new StaggeredDialer(),
            new AddressGuard(reachable, () -> Set.of(LOOPBACK)));
    egress = network.open(SANDBOX, PROJECT, policy, RegistrySource.fixed(registries));
    Guest host = new Guest(guest, losses::add);
    host.egress(egress);
    host.start("test");
  }

  private List<InetAddress> lookup(String name) throws UnknownHostException {
    if (unanswered.contains(name)) {
      try {
        closed.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    List<InetAddress> found = names.get(name);
    if (found == null) {
      throw new UnknownHostException(name);
    }
    return found;
  }

  void name(String name) {
    names.put(name, List.of(LOOPBACK));
  }

  /** Makes a name one that is looked up for as long as the test lasts. */
  void unanswered(String name) {
    unanswered.add(name);
  }

  /** What is on record, newest first. */
  List<Connection> record() {
    return network.connections().list(PROJECT, ConnectionQuery.of(SANDBOX)).items();
  }

  @Override
  public void close() {
    closed.countDown();
    network.close();
    deadlines.close();
    store.close();
  }
}
