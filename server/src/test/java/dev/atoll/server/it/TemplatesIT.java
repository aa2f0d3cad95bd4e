package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.BuildEvent;
import dev.atoll.model.BuildInfo;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.TemplateInfo;
import dev.atoll.sdk.ApiException;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Templates built from recipes, with setup commands in real machines. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TemplatesIT {
  private RealServer server;
  private Atoll atoll;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    server = new RealServer();
    atoll = server.atoll();
    removeAll();
  }

  @AfterAll
  void stop() throws IOException {
    removeAll();
    server.close();
  }

  @AfterEach
  void endAll() throws IOException {
    removeAll();
    assertThat(entries("templates")).noneMatch(name -> name.startsWith(".building"));
  }

  private void removeAll() {
    atoll.sandboxes().list().stream()
        .forEach(info -> atoll.sandboxes().handle(info.id()).terminate());
    atoll.templates().list().stream()
        .filter(template -> template.owner() != null)
        .forEach(template -> atoll.templates().delete(template.name()));
  }

  private List<String> entries(String folder) throws IOException {
    try (Stream<Path> entries = Files.list(server.home().resolve(folder))) {
      return entries.map(entry -> entry.getFileName().toString()).toList();
    }
  }

  /** What a build has said. */
  private static final class Events {
    final List<String> steps = new ArrayList<>();
    final List<String> output = new ArrayList<>();
    final CompletableFuture<String> build = new CompletableFuture<>();

    void add(BuildEvent event) {
      if (event instanceof BuildEvent.BuildStarted started) {
        build.complete(started.build());
      } else if (event instanceof BuildEvent.BuildStep progress) {
        steps.add(progress.message());
      } else if (event instanceof BuildEvent.BuildOutput line) {
        output.add(line.text());
      }
    }
  }

  /** Another one with every run of the tests, so that nothing of it is there already. */
  private static String tools() {
    return """
        name: tools
        base: {template: python}
        env: {GREETING: hello from the template, RUN: "%d"}
        files:
          - {path: /opt/data.txt, content: "from the recipe\\n"}
        setup:
          - |
            echo building as $(id -un)
            cat /opt/data.txt >> /opt/made.txt
            chmod 750 /opt/made.txt && chown sandbox:sandbox /opt/made.txt
            rm -rf /usr/share/perl* && ln -s /opt/made.txt /usr/local/bin/link
          - 'echo second >> /opt/made.txt; mkdir -p "/opt/größe"; mv /opt/data.txt "/opt/größe/moved"'
        start: ["(sleep 0.2; echo up > /tmp/up; exec sleep 1000) > /dev/null 2>&1 &"]
        ready: grep -q up /tmp/up
        """
        .formatted(System.nanoTime());
  }

  @Test
  void aTemplateOnAnotherWithSetupFilesVariablesAndAReadyCheck() throws Exception {
    List<String> before = entries("templates");
    String recipe = tools();
    Events events = new Events();
    TemplateInfo built = atoll.templates().create(recipe, events::add);
    int first = Objects.requireNonNull(built.version());
    assertThat(events.output).contains("building as root");
    assertThat(events.steps).anyMatch(step -> step.startsWith("step 2 of 2: "));
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.template("tools"))) {
      assertThat(sandbox.runCode("import os; os.environ['GREETING']").text())
          .hasValue("'hello from the template'");
      String look =
          "cat /opt/made.txt; stat -c '%a %U' /opt/made.txt; readlink /usr/local/bin/link;"
              + " cat /opt/größe/moved; ls /opt/data.txt /usr/share/perl* 2>&1 | wc -l;"
              + " cat /tmp/up; pgrep -c sleep";
      assertThat(sandbox.shell(look).stdout().lines())
          .containsExactly(
              "from the recipe",
              "second",
              "750 sandbox",
              "/opt/made.txt",
              "from the recipe",
              "2",
              "up",
              "1");
    }
    String read = "print(open('/opt/made.txt').read())";
    assertThat(atoll.execute("python", read, e -> e.template("tools@" + first)).stdout())
        .isEqualTo("from the recipe\nsecond\n\n");
    // The template below has not changed.
    try (Sandbox python = atoll.sandboxes().create()) {
      assertThat(python.shell("ls -d /opt/*; ls -d /usr/share/perl*").stdout().strip())
          .startsWith("/opt/atoll\n/usr/share/perl");
    }
    // A recipe that begins alike takes over what was done.
    Events again = new Events();
    TemplateInfo longer =
        atoll
            .templates()
            .create(recipe.replace("start:", "  - echo third > /opt/third\nstart:"), again::add);
    assertThat(longer.version()).isEqualTo(first + 1);
    assertThat(again.steps.stream().filter(step -> step.contains("(kept)"))).hasSize(2);
    assertThat(again.output).isEmpty();
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.template("tools@" + (first + 1)))) {
      assertThat(sandbox.shell("cat /opt/third /opt/made.txt").stdout())
          .isEqualTo("third\nfrom the recipe\nsecond\n");
    }
    assertThat(atoll.templates().get("tools@" + first).digest()).isEqualTo(built.digest());
    atoll.templates().delete("tools", first);
    assertThat(atoll.templates().get("tools").versions()).hasSize(1);
    atoll.templates().delete("tools");
    assertThat(entries("templates")).containsExactlyInAnyOrderElementsOf(before);
  }

  @Test
  void aFailingCommandEndsTheBuildWithTheEndOfItsOutput() throws Exception {
    String recipe =
        """
        name: broken
        base: {template: python}
        setup:
          - echo first > /opt/first
          - "echo looking for it; ls /no/such/file; expr 6 '*' 7000"
        """;
    assertThatThrownBy(() -> atoll.templates().create(recipe))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("setup: echo looking for it")
        .hasMessageContaining("/no/such/file")
        .hasMessageNotContaining("42000");
    assertThat(atoll.templates().list()).noneMatch(template -> template.name().equals("broken"));
    BuildInfo failed = atoll.templates().builds("broken").getFirst();
    assertThat(failed.state()).isEqualTo("failed");
    Events log = new Events();
    atoll.templates().logs("broken", failed.id(), log::add);
    assertThat(log.output).contains("looking for it");
    // What had succeeded is kept for the next try.
    Events again = new Events();
    atoll.templates().create(recipe.replace("/no/such/file", "/opt/first"), again::add);
    assertThat(again.steps).anyMatch(step -> step.startsWith("step 1 of 2 (kept)"));
    assertThat(server.machineProcesses()).noneMatch(line -> line.contains("bld_"));
  }

  @Test
  void packagesThatDoNotExistAreNamed() {
    assertThatThrownBy(
            () ->
                atoll
                    .templates()
                    .create("{name: missing, base: {template: python}, packages: [no-such-thing]}"))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("no-such-thing");
  }

  @Test
  void aCheckThatNeverSucceedsEndsTheBuild() {
    assertThatThrownBy(
            () ->
                atoll
                    .templates()
                    .create(
                        "{name: never, base: {template: python},"
                            + " ready: {command: 'echo not yet; false', timeoutSeconds: 2}}"))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("not ready")
        .hasMessageContaining("not yet");
    assertThat(atoll.templates().list()).noneMatch(template -> template.name().equals("never"));
  }

  @Test
  void aCancelledBuildLeavesNothing() throws Exception {
    Events events = new Events();
    CompletableFuture<TemplateInfo> build =
        CompletableFuture.supplyAsync(
            () ->
                atoll
                    .templates()
                    .create(
                        "{name: slow, base: {template: python}, setup: ['echo go; sleep 1000']}",
                        events::add));
    String id = events.build.get(60, TimeUnit.SECONDS);
    await(() -> !server.machineProcesses().isEmpty());
    atoll.templates().cancel("slow", id);
    assertThatThrownBy(() -> build.get(60, TimeUnit.SECONDS)).hasMessageContaining("cancelled");
    assertThat(atoll.templates().builds("slow").getFirst().state()).isEqualTo("cancelled");
    await(() -> server.machineProcesses().stream().noneMatch(line -> line.contains("bld_")));
  }

  @Test
  void theServerIsKilledInTheMiddleOfABuild() throws Exception {
    Events events = new Events();
    CompletableFuture<TemplateInfo> build =
        CompletableFuture.supplyAsync(
            () ->
                server
                    .impatient()
                    .templates()
                    .create(
                        "{name: cut, base: {template: python}, setup: ['sleep 1000']}",
                        events::add));
    events.build.get(60, TimeUnit.SECONDS);
    await(() -> server.machineProcesses().stream().anyMatch(line -> line.contains("bld_")));
    server.kill();
    assertThatThrownBy(() -> build.get(60, TimeUnit.SECONDS)).isNotNull();
    server.start();
    assertThat(server.machineProcesses()).noneMatch(line -> line.contains("bld_"));
    assertThat(entries("templates")).noneMatch(name -> name.startsWith(".building"));
    assertThat(atoll.templates().builds("cut").getFirst().state()).isEqualTo("failed");
  }

  /** A condition that may throw. */
  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void await(Condition condition) throws Exception {
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.holds()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.sleep(50);
    }
  }

  @Test
  void aTemplateThatDoesNotStartSaysWhy() {
    assertFails("preload: [json, no_such_module]", "preload: no_such_module cannot be imported");
    assertFails("start: ['cat /no/such/file']", "cat: /no/such/file: No such file", "exit code 1");
    assertThat(atoll.templates().list().stream().filter(template -> template.owner() != null))
        .isEmpty();
  }

  private void assertFails(String line, String... said) {
    String recipe = "name: broken\nbase: {template: python}\n" + line + "\n";
    assertThatThrownBy(() -> atoll.templates().create(recipe, event -> {}))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.TEMPLATE_BUILD_FAILED);
              assertThat(e.getMessage()).contains(said);
            });
  }
}
