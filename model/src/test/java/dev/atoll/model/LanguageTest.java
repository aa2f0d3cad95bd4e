package dev.atoll.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LanguageTest {
  @ParameterizedTest
  @CsvSource({
    "python,python",
    "py,python",
    "JS,javascript",
    "node,javascript",
    "ts,typescript",
    "sh,bash",
    "shell,bash",
    "jshell,java",
    "go,go",
    "c++,cpp",
    "Golang,go"
  })
  void aliasesMeanOneLanguage(String said, String meant) {
    assertThat(Language.of(said).name()).isEqualTo(meant);
    assertThat(new RunCodeRequest("x", said, null, null, null, null).language()).isEqualTo(meant);
    assertThat(new ContextSpec("c", said, null).language()).isEqualTo(meant);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "py thon", "../bash", "-c", "a\u0000b"})
  void whatIsNoNameIsRefused(String said) {
    assertThatThrownBy(() -> Language.of(said))
        .isInstanceOf(AtollException.class)
        .hasMessageContaining("such as python");
  }

  @Test
  void filesTellTheirLanguage() {
    assertThat(Language.ofFile("a/b.PY")).contains(Language.PYTHON);
    assertThat(Language.ofFile("main.mjs")).contains(Language.JAVASCRIPT);
    assertThat(Language.ofFile("x.ts")).contains(Language.TYPESCRIPT);
    assertThat(Language.ofFile("run.sh")).contains(Language.BASH);
    assertThat(Language.ofFile("Main.java")).contains(Language.JAVA);
    assertThat(Language.ofFile("Makefile")).isEmpty();
    assertThat(Language.ofFile("-")).isEmpty();
  }

  @Test
  void codeWithANulCharacterIsRefused() {
    assertThatThrownBy(() -> RunCodeRequest.python("a\u0000b")).hasMessageContaining("NUL");
  }
}
