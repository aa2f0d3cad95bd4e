package dev.atoll.engine.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.AtollException;
import dev.atoll.model.Json;
import dev.atoll.model.NetworkMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecipeTest {
  @TempDir Path folder;

  private Recipe read(String yaml) throws IOException {
    return Recipe.read(Files.writeString(folder.resolve("recipe.yaml"), yaml));
  }

  @Test
  void theBuiltInRecipeReads() {
    Recipe python = Recipe.read(Path.of("../templates/python.yaml"));
    assertThat(python.name()).isEqualTo("python");
    assertThat(python.packages()).contains("python3", "python3-pip", "git", "curl", "procps");
    assertThat(python.kernels()).containsKey("python");
  }

  @Test
  void whatIsLeftOutHasADefault() throws IOException {
    Recipe recipe = read("{name: tiny, suite: trixie}");
    assertThat(recipe.user()).isEqualTo("sandbox");
    assertThat(recipe.allowRoot()).isFalse();
    assertThat(recipe.packages()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{name: Bad Name, suite: trixie}",
        "{name: a, suite: '../etc'}",
        "{name: a, suite: trixie, packages: ['--help']}",
        "{name: a, suite: trixie, user: root}",
        "{name: a, suite: trixie, spare: node}",
        "{name: a, suite: trixie, files: [{path: ../etc/passwd, content: x}]}",
        "{name: a, suite: trixie, colour: blue}",
        "{name: a, suite: trixie, languages: {C: {file: main.c, run: ./main}}}",
        "{name: a, suite: trixie, languages: {c: {file: main.c}}}",
        "{name: a, suite: trixie, languages: {c: {run: ./main}}}",
        "{name: a, suite: trixie, languages: {c: }}",
        "{name: a, suite: trixie, languages: {c: {file: ../main.c, run: ./main}}}",
        "{name: a, suite: trixie, languages: {c: {file: -o, run: ./main}}}",
        "{name: a, suite: trixie, languages: {c: {file: main.c, run: ' '}}}",
        "{name: a, suite: trixie, languages: {c: {file: main.c, run: ./main, env: {'A=B': c}}}}",
        "{name: a, suite: trixie, languages: {c: {file: main.c, run: ./main, colour: blue}}}",
        "{name: a, suite: trixie, archives: [{npm: x, version: ^1.0, integrity: i, to: /opt/x}]}",
        "{name: a, suite: trixie, archives: [{npm: '-x', version: 1.0.0, to: /opt/x}]}",
        "{name: a, suite: trixie, preload: [numpy]}",
        "{name: a, suite: trixie, kernels: {python: p}, spare: python, preload: ['a; b']}",
        "{name: a}",
        "{name: a, suite: trixie, base: {template: python}}",
        "{name: a, base: {}}",
        "{name: a, base: {debian: trixie, template: python}}",
        "{name: a, base: {template: 'Not A Name'}}",
        "{name: a, suite: trixie, setup: ['']}",
        "{name: a, suite: trixie, start: [\"one\\nuser=root\"]}",
        "{name: a, suite: trixie, ready: {command: 'true', timeoutSeconds: 0}}",
        "{name: a, suite: trixie, env: {'A=B': c}}",
        "{name: a, suite: trixie, network: {mode: everything}}",
        "not a recipe",
        "{name: a"
      })
  void aMalformedRecipeIsRefused(String yaml) {
    assertThatThrownBy(() -> read(yaml)).isInstanceOf(AtollException.class);
  }

  private static String digest(Recipe recipe) {
    return BuildPlan.of(recipe, null).digest();
  }

  @Test
  void theDigestFollowsTheContentAndNotTheOrder() throws IOException {
    String first = digest(read("{name: a, suite: trixie, packages: [git, curl]}"));
    String same = digest(read("{name: a, suite: trixie, packages: [curl, git]}"));
    String other = digest(read("{name: a, suite: trixie, packages: [curl]}"));
    assertThat(same).isEqualTo(first);
    assertThat(other).isNotEqualTo(first);
  }

  @Test
  void everyKeyOfARecipeIsRead() throws IOException {
    Recipe recipe =
        read(
            """
            name: tools
            description: what it is for
            base: {template: python@3}
            packages: [jq]
            user: worker
            allow-root: true
            env: {PORT: 8080}
            files: [{path: /etc/x, content: y, mode: "0600"}]
            setup: ["pip install httpx"]
            start: ["sleep 1 &"]
            ready: curl -f localhost
            network: {mode: open}
            """);
    assertThat(recipe.base().template()).isEqualTo("python@3");
    assertThat(recipe.env()).containsEntry("PORT", "8080");
    assertThat(recipe.ready()).isEqualTo(new Ready("curl -f localhost", null));
    assertThat(recipe.setup()).containsExactly("pip install httpx");
    assertThat(recipe.network().mode()).isEqualTo(NetworkMode.OPEN);
    assertThat(read("{name: a, suite: trixie, ready: {command: ls, timeoutSeconds: 5}}").ready())
        .isEqualTo(new Ready("ls", 5.0));
  }

  @Test
  void anErrorNamesTheLineAndTheKeyThatWasMeant() {
    assertThatThrownBy(() -> read("name: a\nsuite: trixie\npakages: [git]\n"))
        .isInstanceOfSatisfying(
            AtollException.class,
            e -> {
              assertThat(e).hasMessageContaining("line 3").hasMessageContaining("pakages");
              assertThat(e.hint()).contains("packages");
            });
    assertThatThrownBy(() -> read("name: a\nsuite: trixie\nsetup: {a: b}\n"))
        .hasMessageContaining("line 3")
        .hasMessageContaining("setup");
  }

  @Test
  void aPlanSurvivesBeingWrittenDown() throws IOException {
    BuildPlan below = BuildPlan.of(read("{name: a, suite: trixie, packages: [git]}"), null);
    BuildPlan plan =
        BuildPlan.of(
            read("{name: b, base: {template: a}, setup: [x], ready: ls, env: {A: b}}"), below);
    String written = Json.lenient().writeValueAsString(plan);
    BuildPlan read = Json.lenient().readValue(written, BuildPlan.class);
    assertThat(Json.lenient().writeValueAsString(read)).isEqualTo(written);
    assertThat(read.digest()).isEqualTo(plan.digest());
  }

  @Test
  void aTemplateOnAnotherTakesOverWhatItDoesNotSay() throws IOException {
    BuildPlan below =
        BuildPlan.of(
            read(
                "{name: a, suite: trixie, user: me, allow-root: true, env: {A: 1, B: 1},"
                    + " kernels: {python: p}, spare: python, start: [s]}"),
            null);
    BuildPlan plan = BuildPlan.of(read("{name: b, base: {template: a}, env: {B: 2}}"), below);
    assertThat(plan.recipe().env()).isEqualTo(Map.of("A", "1", "B", "2"));
    assertThat(plan.recipe().user()).isEqualTo("me");
    assertThat(plan.recipe().allowRoot()).isTrue();
    assertThat(plan.recipe().spare()).isEqualTo("python");
    assertThat(plan.recipe().start()).containsExactly("s");
    assertThat(plan.ground().folder()).isEqualTo(below.digest() + "/rootfs");
  }

  @Test
  void stepsThatBeginAlikeShareTheirLayers() throws IOException {
    String base = "base: {debian: trixie}";
    BuildPlan one = BuildPlan.of(read("{name: a, " + base + ", setup: [x, y]}"), null);
    BuildPlan two = BuildPlan.of(read("{name: b, " + base + ", setup: [x, z]}"), null);
    BuildPlan other = BuildPlan.of(read("{name: b, " + base + ", setup: [z, y]}"), null);
    assertThat(one.steps().getFirst()).isEqualTo(two.steps().getFirst());
    assertThat(one.steps().getLast()).isNotEqualTo(two.steps().getLast());
    assertThat(one.steps().getLast().layer()).isNotEqualTo(other.steps().getLast().layer());
    assertThat(one.digest()).isNotEqualTo(two.digest());
    BuildPlan open =
        BuildPlan.of(read("{name: a, " + base + ", setup: [x], network: {mode: open}}"), null);
    assertThat(open.steps().getFirst().layer()).isNotEqualTo(one.steps().getFirst().layer());
  }

  @Test
  void languagesAreATable() throws IOException {
    Recipe recipe =
        read(
            "{name: a, suite: trixie, languages: {c: {file: main.c, compile: cc main.c, run: ./a},"
                + " 'c#': {file: main.cs, run: dotnet run, version: '9', env: {A: b}}}}");
    assertThat(recipe.languages()).containsOnlyKeys("c", "c#");
    assertThat(recipe.languages())
        .containsEntry("c", new ProgramRecipe("main.c", "cc main.c", "./a", null, Map.of()))
        .containsEntry(
            "c#", new ProgramRecipe("main.cs", null, "dotnet run", "9", Map.of("A", "b")));
    assertThat(digest(recipe)).isNotEqualTo(digest(read("{name: a, suite: trixie}")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"python", "c", "go", "ruby"})
  void theBuiltInTemplatesHaveTheirLanguage(String name) {
    assertThat(Recipe.read(Path.of("../templates/" + name + ".yaml")).languages())
        .containsKey(name);
  }

  @Test
  void archivesAreReadAndCountForTheDigest() throws IOException {
    String yaml =
        "{name: a, suite: trixie, archives: [{npm: '@x/y', version: 1.2.3, integrity: sha512-%s==, to: /opt/y}]}";
    Recipe recipe = read(yaml.formatted("A".repeat(86)));
    assertThat(recipe.archives().getFirst().npm()).isEqualTo("@x/y");
    assertThat(digest(recipe)).isNotEqualTo(digest(read(yaml.formatted("B".repeat(86)))));
    assertThat(Recipe.read(Path.of("../templates/node.yaml")).kernels())
        .containsKeys("javascript", "typescript", "python", "bash");
    assertThat(Recipe.read(Path.of("../templates/agent.yaml")).setup())
        .anyMatch(command -> command.startsWith("npm install"));
    assertThat(Recipe.read(Path.of("../templates/java.yaml")).kernels()).containsKey("java");
  }
}
