package dev.atoll.engine.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.AtollException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ImageConfigTest {
  @Test
  void whatAnImageSaysIsRead() {
    ImageConfig config =
        ImageConfig.parse(
            """
            {"architecture": "amd64", "config": {"Env": ["PATH=/bin", "A=b=c"],
             "User": "worker:staff", "WorkingDir": "/srv", "Cmd": ["sh"]}}
            """);
    assertThat(config)
        .isEqualTo(new ImageConfig(Map.of("PATH", "/bin", "A", "b=c"), "worker", "/srv"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"config\": null}",
        "{\"config\": {\"User\": \"0\", \"WorkingDir\": \"\", \"Env\": []}}",
        "{\"config\": {\"User\": \"root\", \"WorkingDir\": \"srv\", \"Env\": [\"none\"]}}",
        "{\"config\": {\"User\": \"1000:1000\", \"Env\": [\"A=1\\nuser=root\", \"B C=1\"]}}",
        "not json"
      })
  void whatMakesNoSenseIsLeftOut(String json) {
    assertThat(ImageConfig.parse(json)).isEqualTo(ImageConfig.empty());
  }

  @Test
  void referencesNameTheirRegistry() {
    assertThat(ImagePuller.registry("127.0.0.1:5000/team/image:tag")).isEqualTo("127.0.0.1:5000");
    assertThat(ImagePuller.registry("registry.example.com/image"))
        .isEqualTo("registry.example.com");
    assertThatThrownBy(() -> ImagePuller.registry("no/Such:::reference"))
        .isInstanceOf(AtollException.class);
  }

  @Test
  void passwordsAreNotShown() {
    assertThat(new ImagePuller.Credentials("me", "hidden", List.of()).toString())
        .doesNotContain("hidden");
    assertThat(
            new PullRequest("r/i", null, "me", "hidden", List.of(), false, 1, null, null, 1)
                .toString())
        .doesNotContain("hidden");
  }
}
