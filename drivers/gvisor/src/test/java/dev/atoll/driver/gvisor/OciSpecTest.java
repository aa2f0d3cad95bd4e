package dev.atoll.driver.gvisor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Json;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class OciSpecTest {
  private final JsonNode spec = Json.lenient().readTree(OciSpec.of("box"));

  @Test
  void agentIsTheOnlyProgram() {
    assertThat(spec.at("/process/args").toString()).isEqualTo("[\"/opt/atoll/agent\"]");
    assertThat(spec.at("/root/path").asString()).isEqualTo("/rootfs");
    assertThat(spec.at("/hostname").asString()).isEqualTo("box");
  }

  @Test
  void nothingOfTheHostIsMounted() {
    for (JsonNode mount : spec.at("/mounts")) {
      assertThat(mount.at("/type").asString()).isIn("proc", "tmpfs");
    }
  }

  @Test
  void guestHasNoCapabilityOverDevicesModulesOrOtherMachines() {
    assertThat(spec.at("/process/capabilities/bounding").toString())
        .doesNotContain("CAP_SYS_MODULE", "CAP_SYS_RAWIO", "CAP_SYS_PTRACE");
  }

  @Test
  void theAgentGetsWhatItTakesFromPrograms() {
    assertThat(spec.at("/process/capabilities/permitted").toString())
        .contains("CAP_SYS_ADMIN", "CAP_NET_ADMIN")
        .doesNotContain("CAP_SYS_PTRACE");
    // An exec of root's gets the bounding set, and nothing else.
    assertThat(spec.at("/process/capabilities/bounding"))
        .isEqualTo(spec.at("/process/capabilities/permitted"));
    assertThat(spec.at("/process/capabilities/inheritable").isMissingNode()).isTrue();
  }
}
