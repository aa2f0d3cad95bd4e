package dev.atoll.engine;

import static dev.atoll.engine.EngineHarness.PROJECT;
import static dev.atoll.engine.EngineHarness.assertCode;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.atoll.engine.service.Passage;
import dev.atoll.engine.service.Services;
import dev.atoll.model.AtollException;
import dev.atoll.model.DeployEvent;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.InstanceState;
import dev.atoll.model.Json;
import dev.atoll.model.ProcessInfo;
import dev.atoll.model.RevisionState;
import dev.atoll.model.RunEvent;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.ServiceInfo;
import dev.atoll.model.ServiceInstance;
import dev.atoll.model.ServiceLogLine;
import dev.atoll.model.ServiceRevision;
import dev.atoll.model.ServiceSpec;
import dev.atoll.model.ServiceState;
import dev.atoll.model.ServiceUpdate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Services on a fake host: how they grow, shrink, change and fail. */
@Timeout(120)
class ServicesTest {
  private static final double NEVER = 3600;

  @TempDir Path folder;
  private EngineHarness harness;

  /** What runs behind the port of every fake sandbox: it takes connections and keeps them. */
  private ServerSocket program;

  private final Set<Socket> taken = ConcurrentHashMap.newKeySet();

  @BeforeEach
  void open() throws IOException {
    harness = new EngineHarness(folder);
    program = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                while (true) {
                  taken.add(program.accept());
                }
              } catch (IOException e) {
                // Closed by the test.
              }
            });
  }

  @AfterEach
  void close() throws IOException {
    harness.close();
    program.close();
    for (Socket socket : taken) {
      socket.close();
    }
  }

  private Services services() {
    return harness.engine().services();
  }

  private String listening() {
    return "listen " + program.getLocalPort();
  }

  private ServiceSpec spec(String start, int min, int max, double idle, int concurrency) {
    return spec(
        start,
        program.getLocalPort(),
        """
        "files": {"main.txt": "hello"}, "env": {"COLOUR": "blue"}, "startTimeoutSeconds": 5,
        "min": %d, "max": %d, "idleSeconds": %s, "concurrency": %d
        """
            .formatted(min, max, idle, concurrency));
  }

  /** The rest is said as callers of the API say it. */
  private static ServiceSpec spec(String start, int port, String rest) {
    return Json.strict()
        .readValue(
            "{\"name\": \"web\", \"start\": \"%s\", \"port\": %d, %s}".formatted(start, port, rest),
            ServiceSpec.class);
  }

  private ServiceInfo deploy(ServiceSpec spec) {
    return services().deploy(PROJECT, spec, event -> {}).service();
  }

  private ServiceInfo info() {
    return services().get(PROJECT, "web");
  }

  private static void await(BooleanSupplier condition, String what) {
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(deadline);
      try {
        Thread.sleep(20);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private List<InstanceState> states() {
    return info().instances().stream().map(ServiceInstance::state).toList();
  }

  private List<SandboxInfo> living() {
    return harness
        .sandboxes()
        .list(PROJECT, new SandboxQuery(100, null, Set.of(), null, Map.of()))
        .items();
  }

  private Passage connect() {
    return services().connect(PROJECT, "web");
  }

  @Test
  void aDeploymentMakesAnInstanceThatTakesRequests() {
    List<DeployEvent> events = new ArrayList<>();
    Services.Deployed done =
        services().deploy(PROJECT, spec(listening(), 0, 1, NEVER, 10), events::add);
    assertThat(done.created()).isTrue();
    assertThat(done.service().revision()).isEqualTo(1);
    assertThat(done.service().state()).isEqualTo(ServiceState.ACTIVE);
    assertThat(events)
        .contains(
            new DeployEvent.DeployStep("starting the program"),
            new DeployEvent.DeployOutput("listening"));
    Passage passage = connect();
    assertThat(passage.port()).isEqualTo(program.getLocalPort());
    assertThat(info().instances().getFirst().inFlight()).isEqualTo(1);
    passage.connection().close();
    assertThat(info().instances().getFirst().inFlight()).isZero();
    SandboxInfo sandbox = living().getFirst();
    assertThat(sandbox.metadata()).containsEntry("service", "web").containsEntry("revision", "1");
    assertThat(sandbox.env())
        .containsEntry("COLOUR", "blue")
        .containsEntry("PORT", Integer.toString(program.getLocalPort()));
    assertThat(log()).extracting(ServiceLogLine::text).containsExactly("listening");
  }

  private List<ServiceLogLine> log() {
    List<ServiceLogLine> found = new ArrayList<>();
    await(
        () -> {
          found.clear();
          found.addAll(services().log(PROJECT, "web").read(100).next(Duration.ZERO));
          return !found.isEmpty();
        },
        "a line in the log");
    return found;
  }

  @Test
  void requestsThatDoNotFitStartInstancesUpToTheMaximumAndThenWait() throws Exception {
    deploy(spec(listening(), 0, 2, NEVER, 1));
    Passage first = connect();
    Passage second = connect();
    assertThat(info().instances()).extracting(ServiceInstance::inFlight).containsExactly(1, 1);
    CompletableFuture<Passage> third = CompletableFuture.supplyAsync(this::connect);
    await(() -> info().waiting() == 1, "the third waits");
    assertThat(info().instances()).hasSize(2);
    first.connection().close();
    Passage waited = third.get(30, TimeUnit.SECONDS);
    assertThat(info().waiting()).isZero();
    second.connection().close();
    waited.connection().close();
  }

  @Test
  void idleInstancesSleepDownToTheMinimumAndARequestWakesOne() {
    deploy(spec(listening(), 0, 2, 0.3, 1));
    Passage first = connect();
    Passage second = connect();
    first.connection().close();
    second.connection().close();
    await(
        () -> states().equals(List.of(InstanceState.HIBERNATED, InstanceState.HIBERNATED)),
        "all asleep");
    assertThat(info().state()).isEqualTo(ServiceState.ASLEEP);
    assertThat(harness.driver().machines()).isEmpty();
    Passage woken = connect();
    assertThat(states()).contains(InstanceState.READY, InstanceState.HIBERNATED);
    woken.connection().close();
    services().update(PROJECT, "web", new ServiceUpdate(1, null, null, null, null));
    await(() -> info().state() == ServiceState.ACTIVE, "one is always awake");
    assertThat(info().scale().min()).isEqualTo(1);
  }

  @Test
  void aNewRevisionTakesOverAndTheOldOneFinishesItsRequests() {
    deploy(spec(listening(), 0, 1, NEVER, 10));
    Passage old = connect();
    String oldSandbox = info().instances().getFirst().sandbox();
    ServiceInfo changed = deploy(spec("echo two; " + listening(), 0, 1, NEVER, 10));
    assertThat(changed.revision()).isEqualTo(2);
    assertThat(info().instances())
        .anyMatch(i -> i.sandbox().equals(oldSandbox) && i.state() == InstanceState.DRAINING);
    Passage next = connect();
    assertThat(info().instances()).anyMatch(i -> i.revision() == 2 && i.inFlight() == 1);
    next.connection().close();
    old.connection().close();
    await(() -> info().instances().size() == 1, "the old instance ends");
    assertThat(living()).hasSize(1);
    assertThat(services().revisions(PROJECT, "web"))
        .extracting(ServiceRevision::state)
        .containsExactly(RevisionState.CURRENT, RevisionState.RETIRED);
  }

  @Test
  void aProgramIsAskedToEndBeforeItsInstanceIsEnded() {
    deploy(spec(listening(), 0, 1, NEVER, 10));
    String sandbox = info().instances().getFirst().sandbox();
    ProcessInfo process = harness.sandboxes().processes(PROJECT, sandbox).getFirst();
    Run run = harness.sandboxes().run(PROJECT, sandbox, process.id());
    deploy(spec("echo two; " + listening(), 0, 1, NEVER, 10));
    await(() -> run.info().end() != null, "the program ends");
    assertThat(run.info().end()).isNotNull().extracting(RunEvent.End::exitCode).isEqualTo(128 + 15);
    await(() -> living().size() == 1, "the instance ends");
  }

  @Test
  void theRevisionBeforeCanServeAgainAlsoAfterARestartAndOlderOnesAreGone() {
    deploy(spec(listening(), 0, 1, NEVER, 10));
    assertThat(info().previous()).isNull();
    assertCode(ErrorCode.CONFLICT, () -> services().rollback(PROJECT, "web"));
    deploy(spec("echo two; " + listening(), 0, 1, NEVER, 10));
    deploy(spec("echo three; " + listening(), 0, 2, NEVER, 10));
    assertThat(info().previous()).isEqualTo(2);
    await(() -> harness.images().size() == 2, "two revisions have a snapshot");
    harness.restart();
    ServiceInfo back = services().rollback(PROJECT, "web");
    assertThat(back.revision()).isEqualTo(2);
    assertThat(back.previous()).isEqualTo(3);
    assertThat(back.start()).contains("two");
    assertThat(back.scale().max()).as("how it is scaled stays").isEqualTo(2);
    connect().connection().close();
    await(() -> info().instances().size() == 1, "the instance of the third ends");
    assertThat(info().instances().getFirst().revision()).isEqualTo(2);
    assertThat(services().rollback(PROJECT, "web").revision()).isEqualTo(3);
    assertThat(services().revisions(PROJECT, "web"))
        .extracting(ServiceRevision::state)
        .containsExactly(RevisionState.CURRENT, RevisionState.RETIRED, RevisionState.RETIRED);
    assertThat(deploy(spec(listening(), 0, 1, NEVER, 10)).revision()).isEqualTo(4);
    await(() -> harness.images().size() == 2, "that of the second is removed");
    assertThat(info().previous()).isEqualTo(3);
  }

  @Test
  void goingBackThatFailsChangesNothing() throws IOException {
    deploy(spec(listening(), 0, 1, NEVER, 10));
    try (ServerSocket other = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      int port = other.getLocalPort();
      deploy(spec("listen " + port, port, "\"startTimeoutSeconds\": 5"));
      program.close();
      assertCode(ErrorCode.DEPLOY_FAILED, () -> services().rollback(PROJECT, "web"));
      assertThat(info().revision()).isEqualTo(2);
      assertThat(info().previous()).isEqualTo(1);
      connect().connection().close();
      await(() -> living().size() == 1, "nothing of it is left");
    }
  }

  @Test
  void aServiceThatIsStoppedHasNoInstanceUntilSomebodyAsks() {
    deploy(spec(listening(), 1, 2, NEVER, 1));
    Passage open = connect();
    connect().connection().close();
    open.connection().close();
    ServiceInfo stopped = services().stop(PROJECT, "web");
    assertThat(stopped.instances()).isEmpty();
    assertThat(stopped.state()).isEqualTo(ServiceState.ASLEEP);
    assertThat(living()).isEmpty();
    services().update(PROJECT, "web", new ServiceUpdate(1, 1, null, null, null));
    assertThat(info().instances()).as("the minimum does not count now").isEmpty();
    connect().connection().close();
    assertThat(states()).containsExactly(InstanceState.READY);
    services().stop(PROJECT, "web");
    harness.restart();
    await(() -> states().equals(List.of(InstanceState.READY)), "the minimum counts again");
  }

  @Test
  void whatServicesDoIsCounted() {
    deploy(spec(listening(), 0, 2, 0.3, 1));
    Passage first = connect();
    Passage second = connect();
    Services.Totals busy = services().totals();
    assertThat(busy.services()).isEqualTo(1);
    assertThat(busy.instances()).containsEntry(InstanceState.READY, 2);
    assertThat(busy.requests()).isEqualTo(2);
    assertThat(busy.made()).isEqualTo(1);
    first.connection().close();
    second.connection().close();
    await(() -> info().state() == ServiceState.ASLEEP, "all asleep");
    connect().connection().close();
    assertThat(services().totals().woken()).isPositive();
    assertThat(services().totals().requests()).isEqualTo(3);
  }

  @Test
  void aDeploymentThatFailsLeavesTheOneBeforeServing() {
    deploy(spec(listening(), 0, 1, NEVER, 10));
    AtollException failure =
        catchThrowableOfType(
            AtollException.class, () -> deploy(spec("echo oh no; exit 3", 0, 1, NEVER, 10)));
    assertThat(failure.code()).isEqualTo(ErrorCode.DEPLOY_FAILED);
    assertThat(failure).hasMessageContaining("exit code 3").hasMessageContaining("oh no");
    assertThat(failure.details()).containsEntry("revision", 2);
    assertThat(info().revision()).isEqualTo(1);
    connect().connection().close();
    assertThat(living()).hasSize(1);
    assertThat(harness.images()).hasSize(1);
    assertThat(services().revisions(PROJECT, "web").getFirst().state())
        .isEqualTo(RevisionState.FAILED);
  }

  @Test
  void nothingIsLeftOfAFirstDeploymentThatFails() {
    assertCode(ErrorCode.DEPLOY_FAILED, () -> deploy(spec("exit 1", 0, 1, NEVER, 10)));
    assertCode(ErrorCode.DEPLOY_FAILED, () -> deploy(withSetup("echo tried; exit 4")));
    assertCode(ErrorCode.SERVICE_NOT_FOUND, this::info);
    assertThat(living()).isEmpty();
    assertThat(harness.images()).isEmpty();
    assertThat(harness.folders("services")).isEmpty();
  }

  private ServiceSpec withSetup(String setup) {
    String rest = "\"setup\": \"%s\", \"warm\": false".formatted(setup);
    return spec(listening(), program.getLocalPort(), rest);
  }

  @Test
  void eachInstanceMayStartItsOwnProgram() {
    deploy(withSetup("echo prepared"));
    assertThat(log()).extracting(ServiceLogLine::stream).contains("setup");
    Passage one = connect();
    services().update(PROJECT, "web", new ServiceUpdate(0, 2, null, 1, null));
    Passage two = connect();
    assertThat(info().instances()).hasSize(2);
    one.connection().close();
    two.connection().close();
  }

  @Test
  void aProgramThatEndsIsStartedAgain() {
    deploy(spec(listening(), 0, 1, NEVER, 10));
    String sandbox = info().instances().getFirst().sandbox();
    ProcessInfo process = harness.sandboxes().processes(PROJECT, sandbox).getFirst();
    harness.sandboxes().run(PROJECT, sandbox, process.id()).cancel();
    await(
        () ->
            info().instances().stream()
                .anyMatch(i -> i.restarts() == 1 && i.state() == InstanceState.READY),
        "it is started again");
    connect().connection().close();
    assertThat(info().instances().getFirst().sandbox()).isEqualTo(sandbox);
    assertThat(log()).anyMatch(line -> line.stream().equals("atoll"));
  }

  @Test
  void aSandboxThatIsLostIsReplaced() {
    deploy(spec(listening(), 1, 1, NEVER, 10));
    String sandbox = info().instances().getFirst().sandbox();
    harness.sandboxes().end(PROJECT, sandbox);
    await(
        () ->
            info().instances().stream()
                .anyMatch(i -> !i.sandbox().equals(sandbox) && i.state() == InstanceState.READY),
        "another takes its place");
    connect().connection().close();
  }

  @Test
  void partsOfAServiceDoNotGoByAccident() {
    deploy(spec(listening(), 0, 1, NEVER, 10));
    String sandbox = info().instances().getFirst().sandbox();
    assertCode(ErrorCode.CONFLICT, () -> harness.sandboxes().terminate(PROJECT, sandbox));
    String snapshot = harness.images().getFirst();
    assertCode(ErrorCode.CONFLICT, () -> harness.engine().snapshots().delete(PROJECT, snapshot));
  }

  @Test
  void aNewServerGoesOnWithTheInstancesAndRemovesWhatWasNotFinished() {
    deploy(spec(listening(), 0, 2, NEVER, 10));
    String sandbox = info().instances().getFirst().sandbox();
    harness.restart();
    assertThat(info().instances()).hasSize(1);
    connect().connection().close();
    assertThat(info().instances().getFirst().sandbox()).isEqualTo(sandbox);
    assertThat(log()).extracting(ServiceLogLine::text).containsExactly("listening");
    assertCode(ErrorCode.CONFLICT, () -> harness.sandboxes().terminate(PROJECT, sandbox));
  }

  @Test
  void instancesThatSleepAreFoundAgain() {
    deploy(spec(listening(), 0, 1, 0.3, 10));
    await(() -> states().equals(List.of(InstanceState.HIBERNATED)), "asleep");
    harness.restart();
    assertThat(states()).containsExactly(InstanceState.HIBERNATED);
    connect().connection().close();
  }

  @Test
  void instancesThatAHostLostAreMadeAnew() {
    deploy(spec(listening(), 0, 1, NEVER, 10));
    harness.reboot();
    connect().connection().close();
    assertThat(info().instances()).hasSize(1);
    assertThat(living()).hasSize(1);
  }

  @Test
  void deletingLeavesNothing() {
    deploy(spec(listening(), 0, 2, NEVER, 1));
    Passage one = connect();
    Passage two = connect();
    services().delete(PROJECT, "web");
    assertCode(ErrorCode.SERVICE_NOT_FOUND, this::connect);
    assertThat(living()).isEmpty();
    assertThat(harness.images()).isEmpty();
    assertThat(harness.folders("services")).isEmpty();
    assertThat(harness.driver().machines()).isEmpty();
    one.connection().close();
    two.connection().close();
    harness.restart();
    assertThat(services().list(PROJECT)).isEmpty();
  }

  @Test
  void whoAsksForAServiceThatDoesNotWorkIsToldWhy() throws IOException {
    deploy(spec(listening(), 0, 1, NEVER, 10));
    program.close();
    harness.sandboxes().end(PROJECT, info().instances().getFirst().sandbox());
    await(() -> info().instances().isEmpty(), "the instance is given up");
    assertThat(info().state()).isEqualTo(ServiceState.FAILING);
    AtollException failure = catchThrowableOfType(AtollException.class, this::connect);
    assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
    assertThat(failure.details()).containsEntry("service", "web");
  }

  @Test
  void servicesOfOtherProjectsDoNotExist() {
    deploy(spec(listening(), 0, 1, NEVER, 10));
    assertThat(services().list("other")).isEmpty();
    assertCode(ErrorCode.SERVICE_NOT_FOUND, () -> services().get("other", "web"));
    assertCode(ErrorCode.SERVICE_NOT_FOUND, () -> services().connect("other", info().id()));
  }
}
