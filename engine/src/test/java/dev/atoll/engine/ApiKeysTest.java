package dev.atoll.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.ApiKeyInfo;
import dev.atoll.model.AtollException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApiKeysTest {
  @TempDir Path folder;

  @Test
  void aKeyBelongsToItsProjectUntilItIsRevoked() throws IOException {
    try (EngineHarness harness = new EngineHarness(folder)) {
      ApiKeys keys = harness.engine().keys();
      ApiKeyInfo key = keys.create("red", "laptop");
      assertThat(key.secret()).matches("e2b_[0-9a-f]{40}");
      assertThat(keys.ownerOf(String.valueOf(key.secret()))).isEqualTo(new KeyOwner("red", false));
      keys.appoint(String.valueOf(key.secret()));
      assertThat(keys.ownerOf(String.valueOf(key.secret()))).isEqualTo(new KeyOwner("red", true));
      assertThat(keys.ownerOf("e2b_0000")).isNull();
      KeyOwner red = new KeyOwner("red", true);
      assertThat(keys.list(red)).hasSize(1).allMatch(listed -> listed.secret() == null);
      KeyOwner blue = new KeyOwner("blue", true);
      assertThat(keys.list(blue)).isEmpty();
      assertThatThrownBy(() -> keys.revoke(blue, key.id())).isInstanceOf(AtollException.class);
      keys.revoke(red, key.id());
      assertThat(keys.ownerOf(String.valueOf(key.secret()))).isNull();
    }
  }

  @Test
  void aPlainKeyNeitherSeesNorRevokesTheAdministratorsOfItsProject() throws IOException {
    try (EngineHarness harness = new EngineHarness(folder)) {
      ApiKeys keys = harness.engine().keys();
      ApiKeyInfo chief = keys.create("red", "admin");
      keys.appoint(String.valueOf(chief.secret()));
      ApiKeyInfo plain = keys.create("red", "laptop");
      KeyOwner caller = Objects.requireNonNull(keys.ownerOf(String.valueOf(plain.secret())));
      assertThat(keys.list(caller)).extracting(ApiKeyInfo::id).containsExactly(plain.id());
      assertThatThrownBy(() -> keys.revoke(caller, chief.id()))
          .isInstanceOf(AtollException.class)
          .hasMessage("there is no key " + chief.id());
      KeyOwner administrator = Objects.requireNonNull(keys.ownerOf(String.valueOf(chief.secret())));
      assertThat(keys.list(administrator)).hasSize(2);
      keys.revoke(administrator, plain.id());
      keys.revoke(administrator, chief.id());
      assertThat(keys.ownerOf(String.valueOf(chief.secret()))).isNull();
    }
  }

  @Test
  void theSecretIsNotOnDisk() throws IOException {
    String secret;
    try (EngineHarness harness = new EngineHarness(folder)) {
      secret = String.valueOf(harness.engine().keys().create("red", "laptop").secret());
    }
    List<Path> files;
    try (Stream<Path> listed = Files.list(folder.resolve("data"))) {
      files = listed.filter(Files::isRegularFile).toList();
    }
    assertThat(files).isNotEmpty();
    for (Path file : files) {
      assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
          .doesNotContain(secret);
    }
  }
}
