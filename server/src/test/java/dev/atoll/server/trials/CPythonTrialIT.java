package dev.atoll.server.trials;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.ErrorCode;
import dev.atoll.model.Installer;
import dev.atoll.model.RunResult;
import dev.atoll.sdk.ApiException;
import dev.atoll.sdk.Sandbox;
import dev.atoll.server.it.RealServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * CPython's own tests of what a kernel and a sandbox have a part in. A test that fails and is not
 * known to do so fails the trial; one that is known and passes is said.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CPythonTrialIT {
  private static final Duration PATIENCE = Duration.ofMinutes(6);
  private static final Pattern FAILED =
      Pattern.compile(
          "^(?:ERROR|FAIL|UNEXPECTED SUCCESS): \\S+ \\(([\\w.]+)\\)", Pattern.MULTILINE);
  private static final Pattern TOTAL =
      Pattern.compile("^Total tests: run=([\\d,]+)", Pattern.MULTILINE);

  /**
   * Tests that fail, for one reason.
   *
   * @param maybe whether they pass at times
   */
  record Known(List<String> tests, String reason, boolean maybe) {}

  /**
   * A module of tests.
   *
   * @param brief whether our tests try it
   * @param ignore patterns of tests that are left out, with reasons
   */
  record Suite(String name, boolean brief, List<Known> known, Map<String, String> ignore) {
    Suite {
      known = known == null ? List.of() : List.copyOf(known);
      ignore = ignore == null ? Map.of() : Map.copyOf(ignore);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  @RegisterExtension static final Trial TRIAL = new Trial("cpython");

  private RealServer server;
  private @Nullable Sandbox sandbox;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    server = new RealServer();
    sandbox = server.atoll().sandboxes().create(s -> s.memoryMiB(2048).cpus(2).diskMiB(8192));
    try {
      sandbox.packages().install(Installer.APT, "libpython3.13-testsuite");
    } catch (ApiException e) {
      if (e.code() != ErrorCode.REGISTRY_UNREACHABLE) {
        throw e;
      }
      sandbox.terminate();
      sandbox = null;
    }
  }

  @AfterAll
  void stop() throws IOException {
    if (sandbox != null) {
      sandbox.close();
    }
    if (server != null) {
      server.close();
    }
  }

  static List<Suite> modules() throws IOException {
    List<Suite> all = TrialFiles.list("cpython.yaml", Suite.class);
    return TRIAL.of(all.stream().filter(one -> one.brief() || Trial.whole()).toList());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("modules")
  void failsOnlyWhereItIsKnownTo(Suite module) {
    if (sandbox == null) {
      throw Trial.skip("no archive of Debian can be reached");
    }
    RunResult run =
        sandbox.run(command(module), c -> c.timeout(PATIENCE).maxOutputBytes(100L << 20));
    String output = run.stdout() + run.stderr();
    Set<String> failed =
        FAILED
            .matcher(output)
            .results()
            .map(m -> m.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> unknown = new TreeSet<>(failed);
    for (Known known : module.known()) {
      known.tests().forEach(unknown::remove);
      tell(module, known, failed);
    }
    module
        .ignore()
        .forEach((tests, reason) -> TRIAL.known(module.name(), tests + ": left out: " + reason));
    assertThat(unknown).as("tests that fail; the output ends with\n%s", end(output)).isEmpty();
    assertThat(count(output)).as(end(output)).isPositive();
    // It ends with 2 when tests have failed, and with other numbers when something else is wrong.
    assertThat(run.exitCode()).as(end(output)).isEqualTo(failed.isEmpty() ? 0 : 2);
  }

  private static void tell(Suite module, Known known, Set<String> failed) {
    for (String test : known.tests()) {
      if (failed.contains(test)) {
        TRIAL.known(module.name(), test + ": " + known.reason());
      } else if (!known.maybe()) {
        TRIAL.say("vanished: " + test + " passes; take it out of cpython.yaml: " + known.reason());
      }
    }
  }

  private static List<String> command(Suite module) {
    List<String> command = new ArrayList<>(List.of("python3", "-m", "test", "-v"));
    module.ignore().keySet().stream()
        .sorted()
        .forEach(pattern -> command.addAll(List.of("-i", pattern)));
    // Before our own deadline, so that it can say where it hangs.
    command.addAll(List.of("--timeout", Long.toString(PATIENCE.toSeconds() - 30), module.name()));
    return command;
  }

  private static int count(String output) {
    return TOTAL
        .matcher(output)
        .results()
        .mapToInt(m -> Integer.parseInt(m.group(1).replace(",", "")))
        .sum();
  }

  private static String end(String output) {
    return output.substring(Math.max(0, output.length() - 20_000));
  }
}
