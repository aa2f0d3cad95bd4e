package dev.atoll.engine.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is taken for a digest and for a reference. */
final class DigestTest {
  private static final byte[] CONTENT = "content".getBytes(StandardCharsets.UTF_8);

  @Test
  void bothAlgorithmsAreHashedHere() throws Exception {
    Digest digest = Digest.of(CONTENT);
    assertThat(Digest.parse(digest.toString())).isEqualTo(digest);
    assertThat(digest.matches(CONTENT)).isTrue();
    assertThat(digest.matches(new byte[0])).isFalse();
    Digest empty =
        Digest.parse(
            "sha512:cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e");
    assertThat(empty.matches(new byte[0])).isTrue();
    assertThat(empty.matches(CONTENT)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "sha256:",
        "sha256:../../x",
        "sha256:E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855",
        "SHA256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b85",
        "sha512:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "md5:d41d8cd98f00b204e9800998ecf8427e",
        "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709"
      })
  void anythingElseIsNone(String text) {
    assertThatThrownBy(() -> Digest.parse(text))
        .isInstanceOfSatisfying(
            ImageRefused.class,
            e -> assertThat(e.reason()).isEqualTo(ImageRefused.Reason.INVALID_DIGEST));
  }

  @Test
  void referencesAreReadAsElsewhere() {
    String pin = Digest.of(CONTENT).toString();
    assertThat(ImageReference.parse("alpine"))
        .isEqualTo(new ImageReference("docker.io", "library/alpine", "latest", null));
    assertThat(ImageReference.parse("team/app:1").repository()).isEqualTo("team/app");
    assertThat(ImageReference.parse("localhost/app").registry()).isEqualTo("localhost");
    assertThat(ImageReference.parse("Registry.Example.com:5000/a/b/c:v1.2@" + pin))
        .isEqualTo(
            new ImageReference("registry.example.com:5000", "a/b/c", "v1.2", Digest.of(CONTENT)));
    assertThat(ImageReference.parse("alpine").apiHost()).isEqualTo("registry-1.docker.io");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a b",
        "r.example/../x",
        "r.example/a/../../x",
        "r.example/a//b",
        "r.example/A",
        "r.example/a:",
        "r.example/a:x/y",
        "r.example/a@sha256:../../x",
        "r.example/a@",
        "user@r.example/a",
        "r.example:99:1/a",
        "r.example/a?x=1",
        "r.example/a#x",
        "-r.example/a"
      })
  void otherReferencesAreNone(String text) {
    assertThatThrownBy(() -> ImageReference.parse(text))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
