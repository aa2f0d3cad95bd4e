package dev.atoll.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.engine.SandboxQuery;
import dev.atoll.engine.SnapshotQuery;
import dev.atoll.model.AtollException;
import dev.atoll.model.SandboxState;
import dev.atoll.model.SnapshotKind;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class QueryTest {
  private static final Set<String> LISTING =
      Set.of("limit", "cursor", "state", "name", "all", "metadata.");

  @Test
  void valuesAreDecoded() {
    Query query = Query.parse("path=%2Fa+b%2B%C3%BC&flag", Set.of("path", "flag"));
    assertThat(query.path()).isEqualTo("/a b+ü");
    assertThat(query.flag("flag", false)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "path=", "path=a%00b", "path=%ff", "path=%", "path=a&path=b", "pth=a"})
  void badPathsAreRefused(String raw) {
    assertThatThrownBy(() -> Query.parse(raw, Set.of("path")).path())
        .isInstanceOf(AtollException.class);
  }

  @Test
  void pathsHaveALimit() {
    assertThatThrownBy(() -> Query.parse("path=" + "a".repeat(4096), Set.of("path")).path())
        .hasMessageContaining("4095");
  }

  @Test
  void numbersAreChecked() {
    assertThat(number("n=7")).isEqualTo(7);
    assertThat(number("")).isEqualTo(3);
    for (String bad :
        new String[] {"n=", "n=0", "n=11", "n=x", "n=1.5", "n=99999999999999999999", "n=-1"}) {
      assertThatThrownBy(() -> number(bad)).as(bad).hasMessageContaining("query parameter n");
    }
  }

  private static long number(String raw) {
    return Query.parse(raw, Set.of("n")).number("n", 3, 1, 10);
  }

  @Test
  void secondsAreChecked() {
    assertThat(Query.parse("s=0.5", Set.of("s")).seconds("s", 1, 10)).isEqualTo(0.5);
    for (String bad : new String[] {"s=", "s=-1", "s=NaN", "s=Infinity", "s=x", "s=11"}) {
      assertThatThrownBy(() -> Query.parse(bad, Set.of("s")).seconds("s", 1, 10))
          .as(bad)
          .isInstanceOf(AtollException.class);
    }
  }

  @Test
  void timesAreChecked() {
    Set<String> known = Set.of("t");
    assertThat(Query.parse("t=2026-11-15T09:30:00Z", known).time("t"))
        .isEqualTo(Instant.parse("2026-11-15T09:30:00Z"));
    assertThat(Query.parse("", known).time("t")).isNull();
    assertThatThrownBy(() -> Query.parse("t=noon", known).time("t")).hasMessageContaining("noon");
  }

  @Test
  void oneChoiceIsOneOfThem() {
    Set<String> known = Set.of("k");
    assertThat(Query.parse("k=files", known).choice("k", SnapshotKind.class, SnapshotKind::wire))
        .isEqualTo(SnapshotKind.FILES);
    assertThat(Query.parse("", known).choice("k", SnapshotKind.class, SnapshotKind::wire)).isNull();
    assertThatThrownBy(
            () ->
                Query.parse("k=files,memory", known)
                    .choice("k", SnapshotKind.class, SnapshotKind::wire))
        .hasMessageContaining("files,memory");
  }

  @Test
  void flagsAreTrueOrFalse() {
    assertThatThrownBy(() -> Query.parse("f=yes", Set.of("f")).flag("f", false))
        .hasMessageContaining("true or false");
  }

  @Test
  void listingHasDefaults() {
    assertThat(ListSandboxesHandler.parse(Query.parse(null, LISTING)))
        .isEqualTo(new SandboxQuery(50, null, Set.of(), null, Map.of()));
  }

  @Test
  void listingIsParsed() {
    assertThat(
            ListSandboxesHandler.parse(
                Query.parse(
                    "limit=10&cursor=abc&state=running,paused&name=n&metadata.team=a%20b&metadata.x.y=",
                    LISTING)))
        .isEqualTo(
            new SandboxQuery(
                10,
                "abc",
                Set.of(SandboxState.RUNNING, SandboxState.PAUSED),
                "n",
                Map.of("team", "a b", "x.y", "")));
    assertThat(ListSandboxesHandler.parse(Query.parse("all=true", LISTING)).states())
        .containsExactlyInAnyOrder(SandboxState.values());
  }

  @ParameterizedTest
  @ValueSource(strings = {"state=runing", "state=", "state=RUNNING", "limit=201", "metadata.=x"})
  void badListingsAreRefused(String raw) {
    if (raw.equals("state=")) {
      assertThat(ListSandboxesHandler.parse(Query.parse(raw, LISTING)).states()).isEmpty();
      return;
    }
    assertThatThrownBy(() -> ListSandboxesHandler.parse(Query.parse(raw, LISTING)))
        .isInstanceOf(AtollException.class);
  }

  @Test
  void snapshotListingHasDefaults() {
    assertThat(snapshots(""))
        .isEqualTo(new SnapshotQuery(50, null, null, null, Set.of(), null, Map.of()));
  }

  @Test
  void snapshotListingIsParsed() {
    assertThat(
            snapshots(
                "limit=7&cursor=c&sandbox=sbx_1&name=n&kind=files,%20memory&automatic=false&labels.a.b=x"))
        .isEqualTo(
            new SnapshotQuery(
                7,
                "c",
                "sbx_1",
                "n",
                Set.of(SnapshotKind.FILES, SnapshotKind.MEMORY),
                false,
                Map.of("a.b", "x")));
    assertThat(snapshots("automatic").automatic()).isTrue();
    assertThat(snapshots("automatic=true").automatic()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kind=disk",
        "kind=memory,",
        "kind=MEMORY",
        "limit=0",
        "limit=201",
        "automatic=maybe",
        "sandbox=a/b",
        "name=..",
        "labels.=x",
        "labels=x",
        "state=ready"
      })
  void badSnapshotListingsAreRefused(String raw) {
    assertThatThrownBy(() -> snapshots(raw)).isInstanceOf(AtollException.class);
  }

  private static SnapshotQuery snapshots(String raw) {
    return ListSnapshotsHandler.parse(
        Query.parse(
            raw, Set.of("limit", "cursor", "sandbox", "name", "kind", "automatic", "labels.")));
  }

  @Test
  void requiredNamesMustBeThere() {
    assertThat(Query.parse("to=a.b", Set.of("to")).requiredName("to")).isEqualTo("a.b");
    for (String bad : new String[] {"", "to=", "to", "to=a%20b", "to=" + "x".repeat(65)}) {
      assertThatThrownBy(() -> Query.parse(bad, Set.of("to")).requiredName("to"))
          .as(bad)
          .hasMessageContaining("query parameter to");
    }
  }

  @Test
  void modesAreOctal() {
    assertThat(FileOperations.mode(null)).isZero();
    assertThat(FileOperations.mode("0644")).isEqualTo(0644);
    assertThat(FileOperations.mode("4755")).isEqualTo(04755);
    for (String bad : new String[] {"0", "888", "0x1ff", "-1", "77777", "rw"}) {
      assertThatThrownBy(() -> FileOperations.mode(bad)).as(bad).isInstanceOf(AtollException.class);
    }
  }

  @Test
  void signalsHaveNamesAndNumbers() {
    assertThat(Signals.number("SIGTERM")).isEqualTo(15);
    assertThat(Signals.number("kill")).isEqualTo(9);
    assertThat(Signals.number("SigUsr2")).isEqualTo(12);
    assertThat(Signals.number("31")).isEqualTo(31);
    for (String bad : new String[] {"0", "32", "99", "SIG", "TERMINATE", "-9"}) {
      assertThatThrownBy(() -> Signals.number(bad)).as(bad).isInstanceOf(AtollException.class);
    }
  }

  @Test
  void idempotencyKeysArePrintable() {
    assertThat(CreateSandboxHandler.idempotencyKey(null)).isNull();
    assertThat(CreateSandboxHandler.idempotencyKey(" a-1 ")).isEqualTo("a-1");
    for (String bad : new String[] {"", " ", "ü", "x".repeat(256)}) {
      assertThatThrownBy(() -> CreateSandboxHandler.idempotencyKey(bad))
          .isInstanceOf(AtollException.class);
    }
  }
}
