package dev.atoll.engine.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.AtollException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        "not a recipe",
        "{name: a"
      })
  void aMalformedRecipeIsRefused(String yaml) {
    assertThatThrownBy(() -> read(yaml)).isInstanceOf(AtollException.class);
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
