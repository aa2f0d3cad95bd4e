package dev.atoll.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ErrorRendererTest {
  @Test
  void whatAStreamOfALostSandboxTellsIsNoDefectOfTheServer() {
    AtollException lost = new AtollException(ErrorCode.SANDBOX_FAILED, "the sandbox has ended");
    assertThat(ErrorRenderer.body(new IOException("the sandbox has ended", lost), "req_1").code())
        .isEqualTo(ErrorCode.SANDBOX_FAILED);
    assertThat(ErrorRenderer.body(new IOException("disk"), "req_1").code())
        .isEqualTo(ErrorCode.INTERNAL);
  }
}
