package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.ErrorBody;
import dev.atoll.model.Json;
import dev.atoll.server.TenantCaller.Reply;
import dev.atoll.server.TenantMatrix.Operation;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every operation of the API, called with what belongs to another project: it finds nothing, tells
 * nothing and changes nothing. {@code tenants/matrix.yaml} has the calls.
 */
@Timeout(60)
final class TenantMatrixTest {
  private static final TenantMatrix MATRIX = new TenantMatrix();
  private static final Pattern USED = Pattern.compile("\"lastUsedAt\":\"[^\"]*\"");

  /** A look into a sandbox that sleeps wakes it. */
  private static final Pattern WAKING = Pattern.compile("\\$asleep/");

  /** Fields of bodies by which something is found; a call has to try each that a body has. */
  private static final Set<String> NAMING =
      Set.of("name", "template", "snapshot", "secrets", "winner", "to", "project", "context");

  @TempDir static Path folder;
  private static EngineFixture server = unset();
  private static Tenant theirs = unset();
  private static Tenant own = unset();
  private static Map<String, String> never = Map.of();
  private static Map<String, String> view = Map.of();

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T unset() {
    return null;
  }

  @BeforeAll
  static void start() throws Exception {
    server = new EngineFixture(folder);
    theirs = new Tenant(server, "first");
    own = new Tenant(server, "second");
    never = theirs.neverExisted();
    view = view();
  }

  @AfterAll
  static void stop() {
    own.close();
    theirs.close();
    server.close();
  }

  static Stream<Operation> operations() {
    return MATRIX.operations().values().stream();
  }

  static Stream<Operation> closedOperations() {
    return operations().filter(operation -> !operation.open());
  }

  @Test
  void everyOperationOfTheSpecHasALine() {
    assertThat(MATRIX.lines()).isEqualTo(new TreeSet<>(MATRIX.operations().keySet()));
  }

  @ParameterizedTest
  @MethodSource("operations")
  void everyWayToNameSomethingIsTried(Operation operation) {
    List<TenantCall> calls = MATRIX.calls(operation);
    assertThat(operation.parameters())
        .as("parameters of %s", operation.id())
        .allMatch(parameter -> calls.stream().anyMatch(call -> call.query().contains(parameter)));
    assertThat(operation.fields())
        .filteredOn(NAMING::contains)
        .as("fields of %s", operation.id())
        .allMatch(field -> calls.stream().anyMatch(call -> call.body().contains(field)));
  }

  @ParameterizedTest
  @MethodSource("operations")
  void anotherProjectFindsNothingAndChangesNothing(Operation operation) throws Exception {
    TenantCaller caller = new TenantCaller(server);
    Set<String> before = rows();
    String used = used();
    for (TenantCall call : MATRIX.calls(operation)) {
      Reply found = caller.make(call, own.get("key"), theirs.things(), own.things());
      check(call, found);
      if (call.alike()) {
        Reply unknown = caller.make(call, own.get("key"), never, own.things());
        assertThat(found.without(theirs.things()))
            .as("%s, and the same for what never existed", call)
            .isEqualTo(unknown.without(never));
      }
    }
    assertUnchanged(before);
    assertThat(used()).as("when the first project last used its sandboxes").isEqualTo(used);
    Map<String, String> changed = new TreeMap<>(view());
    changed.entrySet().removeAll(view.entrySet());
    assertThat(changed).as("what the first project sees").isEmpty();
  }

  private static void check(TenantCall call, Reply reply) {
    if (call.status() == 0) {
      assertThat(reply.status()).as("%s: %s", call, reply).isGreaterThanOrEqualTo(400);
      assertThat(Json.lenient().readValue(reply.body(), ErrorBody.class).code().wire())
          .as("%s: %s", call, reply)
          .isEqualTo(call.answer());
      return;
    }
    assertThat(reply.status()).as("%s: %s", call, reply).isEqualTo(call.status());
    if (call.status() < 400) {
      assertThat(reply.body()).as("%s", call).doesNotContain(traces(call));
    }
  }

  /** What nobody outside the first project can know, but for what the call itself says. */
  private static List<String> traces(TenantCall call) {
    String said = call.target(theirs.things(), own.things()) + call.body();
    return Stream.concat(
            Stream.of("of-first"),
            theirs.things().values().stream()
                .filter(value -> value.length() >= 12 && !own.things().containsValue(value)))
        .filter(trace -> !said.contains(trace) && !named(call).contains(trace))
        .toList();
  }

  private static String named(TenantCall call) {
    return TenantCall.fill(call.body(), theirs.things(), own.things());
  }

  @ParameterizedTest
  @MethodSource("closedOperations")
  void nothingIsDoneWithoutAKeyThatIsValid(Operation operation) throws Exception {
    TenantCaller caller = new TenantCaller(server);
    Set<String> before = rows();
    for (TenantCall call : MATRIX.calls(operation)) {
      if (call.keyless() || operation.id().equals("metrics")) {
        continue; // A server that listens on loopback alone shows its metrics to everybody.
      }
      Reply none = caller.make(call, null, theirs.things(), own.things());
      assertThat(none.status()).as("%s: %s", call, none).isEqualTo(401);
      Reply revoked = caller.make(call, theirs.get("revokedKey"), theirs.things(), own.things());
      assertThat(revoked.status()).as("%s: %s", call, revoked).isEqualTo(401);
      assertThat(revoked.without(Map.of())).isEqualTo(none.without(Map.of()));
    }
    assertUnchanged(before);
  }

  /** What was there still is, and what came since has nothing to do with the first project. */
  private static void assertUnchanged(Set<String> before) throws Exception {
    Set<String> after = rows();
    Set<String> lost = new TreeSet<>(before);
    lost.removeAll(after);
    lost.removeIf(row -> row.contains(" project=second "));
    assertThat(lost).as("rows that changed or have gone").isEmpty();
    after.removeAll(before);
    List<String> ids =
        theirs.things().values().stream()
            .filter(value -> value.length() >= 12 && !own.things().containsValue(value))
            .filter(value -> !value.startsWith("first"))
            .toList();
    assertThat(after).noneMatch(row -> row.contains("project=first "));
    assertThat(after).noneMatch(row -> ids.stream().anyMatch(row::contains));
  }

  private static String used() throws Exception {
    StringBuilder used = new StringBuilder();
    for (String sandbox : List.of("sandbox", "child", "asleep", "space")) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(server.url("/v1/sandboxes/" + theirs.get(sandbox)))
              .header("X-API-Key", theirs.get("key"));
      used.append(server.send(request).json().get("lastUsedAt").asString()).append(' ');
    }
    return used.toString();
  }

  private static Set<String> rows() throws Exception {
    Set<String> rows = new TreeSet<>();
    for (String row : TenantRows.read(server.data().resolve("atoll.db"))) {
      // The times of use are written later than they are; the API tells them at once.
      rows.add(row.replaceAll(" last_used_at=\\S*", ""));
    }
    return rows;
  }

  /** What the first project sees of its own, with its own key. */
  private static Map<String, String> view() throws Exception {
    TenantCaller caller = new TenantCaller(server);
    Map<String, String> answers = new TreeMap<>();
    for (Operation operation : MATRIX.operations().values()) {
      for (TenantCall call : MATRIX.calls(operation)) {
        if (operation.method().equals("GET")
            && call.view()
            && !WAKING.matcher(call.path()).find()) {
          Reply reply = caller.make(call, theirs.get("key"), theirs.things(), theirs.things());
          boolean there = operation.open() || reply.status() < 400 || call.path().contains("$gone");
          assertThat(there).as("%s has something to see: %s", call, reply).isTrue();
          answers.put(call.toString(), USED.matcher(reply.without(Map.of())).replaceAll(""));
        }
      }
    }
    return answers;
  }
}
