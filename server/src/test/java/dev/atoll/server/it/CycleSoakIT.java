package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Sandboxes are made, used and ended again and again, and the server does not grow by it.
 *
 * <p>{@code ATOLL_SOAK_CYCLES} says how often.
 */
class CycleSoakIT {
  private static final int CYCLES =
      Integer.parseInt(System.getenv().getOrDefault("ATOLL_SOAK_CYCLES", "60"));
  private static final int LOOKS = 6;

  /** What a collection finds varies a little, by caches and by what is just being prepared. */
  private static final long HEAP_SLACK = 8 << 20;

  private static final int SLACK = 12;

  /** What may grow by a leak. */
  private record Look(long heap, long descriptors, long threads, long files) {}

  @Test
  void theServerDoesNotGrow() throws Exception {
    List<Look> looks = new ArrayList<>();
    try (RealServer server = new RealServer()) {
      Atoll atoll = server.atoll();
      for (int look = 0; look < LOOKS; look++) {
        for (int cycle = look * CYCLES / LOOKS; cycle < (look + 1) * CYCLES / LOOKS; cycle++) {
          cycle(atoll, cycle);
        }
        looks.add(look(server));
        System.out.println("soak: " + (look + 1) * CYCLES / LOOKS + " cycles, " + looks.getLast());
      }
    }
    // The first look has everything that is made once.
    assertFlat(looks, Look::heap, HEAP_SLACK);
    assertFlat(looks, Look::descriptors, SLACK);
    assertFlat(looks, Look::threads, SLACK);
    assertFlat(looks, Look::files, SLACK);
  }

  private static void cycle(Atoll atoll, int number) {
    try (Sandbox sandbox = atoll.sandboxes().create()) {
      assertThat(sandbox.runCode("x = " + number + "; x + 1").text())
          .hasValue(String.valueOf(number + 1));
      sandbox.files().write("/tmp/number", String.valueOf(number).getBytes(StandardCharsets.UTF_8));
      assertThat(sandbox.shell("cat /tmp/number").stdout()).isEqualTo(String.valueOf(number));
    }
  }

  private static Look look(RealServer server) throws IOException, InterruptedException {
    Path process = Path.of("/proc", String.valueOf(server.pid()));
    return new Look(
        new ServerHealth(server.pid()).heap(),
        count(process.resolve("fd")),
        count(process.resolve("task")),
        filesBelow(server.home()));
  }

  private static long count(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.count();
    }
  }

  /** Machines that wait for a sandbox come and go meanwhile, so theirs are not counted. */
  private static long filesBelow(Path home) throws IOException {
    try (Stream<Path> all = Files.walk(home)) {
      return all.filter(path -> !path.startsWith(home.resolve("sandboxes"))).count();
    }
  }

  private static void assertFlat(List<Look> looks, ToLongFunction<Look> value, long slack) {
    List<Long> values = looks.stream().map(value::applyAsLong).toList();
    long early =
        values.subList(1, LOOKS / 2).stream().mapToLong(Long::longValue).max().orElseThrow();
    long late =
        values.subList(LOOKS / 2, LOOKS).stream().mapToLong(Long::longValue).min().orElseThrow();
    assertThat(late).as("later, after %s", values).isLessThanOrEqualTo(early + slack);
  }
}
