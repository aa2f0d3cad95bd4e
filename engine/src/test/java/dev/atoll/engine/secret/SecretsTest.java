package dev.atoll.engine.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.engine.store.SecretRows;
import dev.atoll.engine.store.Store;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.SecretDomain;
import dev.atoll.model.SecretInfo;
import dev.atoll.model.SecretPlace;
import dev.atoll.model.SecretSpec;
import dev.atoll.model.SecretValue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SecretsTest {
  private static final String VALUE = "xyzzy-4711-never-to-be-seen";

  @TempDir Path folder;

  private Store store() {
    return Store.open(folder.resolve("atoll.db"));
  }

  private Secrets open(Store store) {
    return open(store, null);
  }

  private Secrets open(Store store, @Nullable Path keyFile) {
    return new Secrets(new SecretRows(store), new SecretSettings(keyFile, null), folder);
  }

  private static SecretSpec spec(String name, @Nullable String value, String... domains) {
    return new SecretSpec(
        name,
        value == null ? null : SecretValue.of(value),
        domains.length == 0 ? null : Stream.of(domains).map(SecretDomain::parse).toList(),
        null,
        null,
        null,
        null);
  }

  private static List<String> values(Secrets secrets, String project, String host) {
    return secrets.bound(project, List.of("key"), host, 443).stream()
        .map(secret -> secret.value().reveal())
        .toList();
  }

  @Test
  void aValueIsFoundAgainAfterARestartAndIsNowhereOnDisk() throws IOException {
    try (Store store = store()) {
      SecretInfo made = open(store).create("demo", spec("key", VALUE, "api.test", "*.example.com"));
      assertThat(made.domains()).hasToString("[api.test:443, *.example.com:443]");
      assertThat(made.env()).isEqualTo("KEY");
    }
    try (Store store = store()) {
      Secrets secrets = open(store);
      assertThat(values(secrets, "demo", "api.test")).containsExactly(VALUE);
      assertThat(values(secrets, "demo", "a.example.com")).containsExactly(VALUE);
      assertThat(values(secrets, "demo", "example.com")).isEmpty();
      assertThat(values(secrets, "other", "api.test")).isEmpty();
      assertThat(secrets.bind("demo", List.of("key"), "api.test", 80)).isFalse();
      assertThat(secrets.bind("demo", List.of(), "api.test", 443)).isFalse();
      assertThat(secrets.authorities().certificate("demo")).contains("BEGIN CERTIFICATE");
    }
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(folder.resolve("secrets.key"))))
        .isEqualTo("rw-------");
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
            .as(file.toString())
            .doesNotContain(VALUE);
      }
    }
  }

  @Test
  void withoutSecretsThereIsNoKey() {
    try (Store store = store()) {
      assertThat(open(store).list("demo")).isEmpty();
    }
    assertThat(folder.resolve("secrets.key")).doesNotExist();
  }

  @Test
  void aChangeKeepsWhatItDoesNotNameAndThePlaceholder() {
    try (Store store = store()) {
      Secrets secrets = open(store);
      SecretInfo made = secrets.create("demo", spec("key", VALUE, "api.test"));
      SecretInfo changed =
          secrets.put(
              "demo",
              "key",
              new SecretSpec(
                  null, SecretValue.of(VALUE), null, "X-Key: {value}", null, "OTHER", null));
      assertThat(changed.placeholder()).isEqualTo(made.placeholder());
      assertThat(changed.domains()).isEqualTo(made.domains());
      assertThat(values(secrets, "demo", "api.test")).containsExactly(VALUE);
      assertThat(secrets.variables("demo", List.of("key", "gone")))
          .containsOnly(java.util.Map.entry("OTHER", made.placeholder()));
      secrets.put("demo", "key", spec("key", "another-value"));
      assertThat(values(secrets, "demo", "api.test")).containsExactly("another-value");
      assertThat(secrets.get("demo", "key").header()).isEqualTo("X-Key: {value}");
      secrets.delete("demo", "key");
      assertThat(values(secrets, "demo", "api.test")).isEmpty();
      assertThatThrownBy(() -> secrets.require("demo", List.of("key")))
          .isInstanceOfSatisfying(
              AtollException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.SECRET_NOT_FOUND));
    }
  }

  @Test
  void whereAValueGoesIsChangedByThoseAloneWhoHaveIt() {
    try (Store store = store()) {
      Secrets secrets = open(store);
      SecretInfo made = secrets.create("demo", spec("key", VALUE, "api.test", "b.test"));
      for (SecretSpec change :
          List.of(
              spec("key", null, "evil.test"),
              spec("key", null, "api.test", "b.test", "evil.test"),
              spec("key", null, "http://api.test:443", "b.test"),
              new SecretSpec(null, null, null, "X-Name: {value}", null, null, null),
              new SecretSpec(null, null, null, null, "q={value}", null, null),
              new SecretSpec(null, null, null, null, null, null, List.of(SecretPlace.PATH)))) {
        assertThatThrownBy(() -> secrets.put("demo", "key", change))
            .isInstanceOfSatisfying(
                AtollException.class,
                e -> {
                  assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
                  assertThat(e.details()).containsEntry("field", "value");
                });
        assertThat(secrets.get("demo", "key")).isEqualTo(made);
        assertThat(values(secrets, "demo", "evil.test")).isEmpty();
      }
      // What is the same as before is no change, and a variable's name sends nothing anywhere.
      secrets.put("demo", "key", spec("key", null, "b.test", "api.test"));
      assertThat(
              secrets
                  .put("demo", "key", new SecretSpec(null, null, null, "", "", "OTHER", List.of()))
                  .env())
          .isEqualTo("OTHER");
      secrets.put("demo", "key", spec("key", "another-value", "c.test"));
      assertThat(values(secrets, "demo", "c.test")).containsExactly("another-value");
    }
  }

  @Test
  void theSchemeBelongsToTheDomain() {
    try (Store store = store()) {
      Secrets secrets = open(store);
      secrets.create(
          "demo",
          spec(
              "key", VALUE, "a.test", "b.test:80,8443", "http://c.test:8080", "https://d.test:80"));
      assertThat(secrets.get("demo", "key").domains())
          .hasToString("[a.test:443, b.test:80,8443, http://c.test:8080, https://d.test:80]");
      assertThat(goes(secrets, "a.test", 443, true)).isTrue();
      assertThat(goes(secrets, "a.test", 443, false)).isFalse();
      assertThat(goes(secrets, "b.test", 80, false)).isTrue();
      assertThat(goes(secrets, "b.test", 80, true)).isFalse();
      assertThat(goes(secrets, "b.test", 8443, true)).isTrue();
      assertThat(goes(secrets, "b.test", 8443, false)).isFalse();
      assertThat(goes(secrets, "c.test", 8080, false)).isTrue();
      assertThat(goes(secrets, "c.test", 8080, true)).isFalse();
      assertThat(goes(secrets, "d.test", 80, true)).isTrue();
      assertThat(goes(secrets, "d.test", 80, false)).isFalse();
    }
    try (Store store = store()) {
      assertThat(goes(open(store), "c.test", 8080, false)).isTrue();
    }
    for (String bad : List.of("ftp://a.test", "http://1.2.3.4", "http://*", "http://a.test/x")) {
      assertThatThrownBy(() -> SecretDomain.parse(bad)).as(bad).isInstanceOf(AtollException.class);
    }
  }

  private static boolean goes(Secrets secrets, String host, int port, boolean tls) {
    return !secrets.bound("demo", List.of("key"), host, port, tls).isEmpty();
  }

  @Test
  void aNewKeyTakesOverAndTheOldOneCanGo() throws IOException {
    Path file = folder.resolve("keys");
    String old = key(1);
    Files.writeString(file, old);
    String certificate;
    try (Store store = store()) {
      Secrets secrets = open(store, file);
      secrets.create("demo", spec("key", VALUE, "api.test"));
      certificate = secrets.authorities().certificate("demo");
    }
    Files.writeString(file, "# the new one\n" + key(2) + old);
    try (Store store = store()) {
      assertThat(values(open(store, file), "demo", "api.test")).containsExactly(VALUE);
    }
    Files.writeString(file, key(2));
    try (Store store = store()) {
      Secrets secrets = open(store, file);
      assertThat(values(secrets, "demo", "api.test")).containsExactly(VALUE);
      assertThat(secrets.authorities().certificate("demo")).isEqualTo(certificate);
    }
  }

  @Test
  void withAnotherKeyASecretIsListedButNotOpened() throws IOException {
    Path file = Files.writeString(folder.resolve("keys"), key(1));
    try (Store store = store()) {
      open(store, file).create("demo", spec("key", VALUE, "api.test"));
    }
    Files.writeString(file, key(3));
    try (Store store = store()) {
      Secrets secrets = open(store, file);
      assertThat(secrets.list("demo")).hasSize(1);
      assertThatThrownBy(() -> values(secrets, "demo", "api.test"))
          .isInstanceOf(AtollException.class)
          .hasMessageContaining("is sealed with the key")
          .hasMessageNotContaining(VALUE);
      secrets.put("demo", "key", spec("key", "set-once-more"));
      assertThat(values(secrets, "demo", "api.test")).containsExactly("set-once-more");
    }
  }

  @Test
  void aRowDoesNotOpenInAnotherPlace() {
    try (Store store = store()) {
      Secrets secrets = open(store);
      secrets.create("demo", spec("key", VALUE, "api.test"));
      secrets.create("mine", spec("key", "my-own-value", "mine.test"));
      store.update(
          "UPDATE secrets SET sealed=(SELECT sealed FROM secrets WHERE project='demo')"
              + " WHERE project='mine'");
      Secrets again = open(store);
      assertThatThrownBy(() -> values(again, "mine", "mine.test"))
          .isInstanceOf(AtollException.class)
          .hasMessageContaining("does not open");
    }
  }

  @Test
  void aKeyFileThatTheAdministratorNamedMustBeThereAndWellFormed() throws IOException {
    Path file = folder.resolve("keys");
    try (Store store = store()) {
      assertThatThrownBy(() -> open(store, file).create("demo", spec("key", VALUE, "api.test")))
          .isInstanceOf(AtollException.class)
          .hasMessageContaining("keys");
      Files.writeString(file, "c2hvcnQ=\n");
      assertThatThrownBy(() -> open(store, file).create("demo", spec("key", VALUE, "api.test")))
          .hasMessageContaining("32 bytes")
          .hasMessageNotContaining("c2hvcnQ");
    }
  }

  @Test
  void whatIsWrongIsSaidWithoutTheValue() {
    assertThat(spec("key", VALUE, "api.test").toString()).doesNotContain(VALUE);
    for (String bad : List.of("short", VALUE + "\n", "tab\tinside-it", " " + VALUE)) {
      assertThatThrownBy(() -> SecretValue.of(bad))
          .isInstanceOf(AtollException.class)
          .hasMessageNotContaining(VALUE);
    }
    for (String bad : List.of("*", "10.0.0.1", "*.com")) {
      assertThatThrownBy(() -> spec("key", VALUE, bad)).isInstanceOf(AtollException.class);
    }
    for (String bad :
        List.of("Host: {value}", "X-Key: none", "X Key: {value}", "X: {value}\r\nY: z")) {
      assertThatThrownBy(() -> new SecretSpec(null, null, null, bad, null, null, null))
          .as(bad)
          .isInstanceOf(AtollException.class);
    }
    for (String bad : List.of("key", "{value}=key", "a={value}&b=1")) {
      assertThatThrownBy(() -> new SecretSpec(null, null, null, null, bad, null, null))
          .as(bad)
          .isInstanceOf(AtollException.class);
    }
  }

  private static String key(int fill) {
    byte[] bytes = new byte[32];
    java.util.Arrays.fill(bytes, (byte) fill);
    return java.util.Base64.getEncoder().encodeToString(bytes) + "\n";
  }
}
