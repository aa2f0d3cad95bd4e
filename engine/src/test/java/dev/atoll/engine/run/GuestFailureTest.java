package dev.atoll.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.protocol.wire.Failed;
import org.junit.jupiter.api.Test;

class GuestFailureTest {
  @Test
  void theSubjectIsNamedOnce() {
    assertThat(program(Failed.Reason.NOT_FOUND, "prog: not found")).hasMessage("prog: not found");
    assertThat(program(Failed.Reason.NOT_FOUND, "not found")).hasMessage("prog: not found");
    assertThat(program(Failed.Reason.NOT_FOUND, "")).hasMessage("prog: command_not_found");
  }

  @Test
  void aProgramThatIsThereButCannotRunIsToldApart() {
    AtollException missing = program(Failed.Reason.NOT_FOUND, "");
    assertThat(missing.code()).isEqualTo(ErrorCode.COMMAND_NOT_FOUND);
    assertThat(missing.details()).doesNotContainKey("reason");
    assertThat(program(Failed.Reason.NOT_EXECUTABLE, "").details())
        .containsEntry("reason", "not_executable");
    assertThat(program(Failed.Reason.PERMISSION_DENIED, "").details())
        .containsEntry("reason", "not_executable");
    AtollException file =
        GuestFailure.ofFile(failed(Failed.Reason.PERMISSION_DENIED, ""), "/etc/shadow");
    assertThat(file.details()).doesNotContainKey("reason");
  }

  @Test
  void aDirectoryThatIsNotThereIsNotTakenForTheProgram() {
    AtollException failure =
        program(Failed.Reason.NOT_FOUND, "working directory /nope: No such file or directory");
    assertThat(failure.code()).isEqualTo(ErrorCode.FILE_NOT_FOUND);
    assertThat(failure).hasMessage("working directory /nope: No such file or directory");
    assertThat(failure.details()).containsEntry("field", "cwd");
    assertThat(failure.hint()).contains("cwd").doesNotContain("program");
  }

  private static AtollException program(Failed.Reason reason, String message) {
    return GuestFailure.ofProgram(failed(reason, message), "prog");
  }

  private static Failed failed(Failed.Reason reason, String message) {
    return Failed.newBuilder().setReason(reason).setMessage(message).build();
  }
}
