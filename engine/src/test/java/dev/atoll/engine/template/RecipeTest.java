package dev.atoll.engine.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.AtollException;
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
  void archivesAreReadAndCountForTheDigest() throws IOException {
    String yaml =
        "{name: a, suite: trixie, archives: [{npm: '@x/y', version: 1.2.3, integrity: sha512-%s==, to: /opt/y}]}";
    Recipe recipe = read(yaml.formatted("A".repeat(86)));
    assertThat(recipe.archives().getFirst().npm()).isEqualTo("@x/y");
    TemplateBuilder builder = new TemplateBuilder(folder);
    assertThat(builder.digest(recipe))
        .isNotEqualTo(builder.digest(read(yaml.formatted("B".repeat(86)))));
    assertThat(Recipe.read(Path.of("../templates/node.yaml")).kernels())
        .containsKeys("javascript", "typescript", "python", "bash");
    assertThat(Recipe.read(Path.of("../templates/java.yaml")).kernels()).containsKey("java");
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
        "not a recipe",
        "{name: a"
      })
  void aMalformedRecipeIsRefused(String yaml) {
    assertThatThrownBy(() -> read(yaml)).isInstanceOf(AtollException.class);
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
    TemplateBuilder builder = new TemplateBuilder(folder);
    assertThat(builder.digest(recipe))
        .isNotEqualTo(builder.digest(read("{name: a, suite: trixie}")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"python", "c", "go", "ruby"})
  void theBuiltInTemplatesHaveTheirLanguage(String name) {
    assertThat(Recipe.read(Path.of("../templates/" + name + ".yaml")).languages())
        .containsKey(name);
  }

  @Test
  void theDigestFollowsTheContentAndNotTheOrder() throws IOException {
    TemplateBuilder builder = new TemplateBuilder(folder);
    String first = builder.digest(read("{name: a, suite: trixie, packages: [git, curl]}"));
    String same = builder.digest(read("{name: a, suite: trixie, packages: [curl, git]}"));
    String other = builder.digest(read("{name: a, suite: trixie, packages: [curl]}"));
    assertThat(same).isEqualTo(first);
    assertThat(other).isNotEqualTo(first);
  }
}
