package dev.atoll.driver.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.atoll.driver.Machine;
import dev.atoll.driver.MachineExit;
import dev.atoll.driver.MachineLimits;
import dev.atoll.driver.MachineSpec;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.wire.Execute;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Interrupt;
import dev.atoll.protocol.wire.OpenContext;
import dev.atoll.protocol.wire.Result;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FakeGuestTest {
  private static final MachineLimits LIMITS = new MachineLimits(1, 64 << 20, 64 << 20, 8);
  private static final int CONTEXT = 1_000_000;

  @TempDir private Path folder;
  private final FakeDriver driver = new FakeDriver();
  private Machine machine;
  private GuestProbe guest;
  private long execution;

  @BeforeEach
  void boot() {
    machine = driver.boot(new MachineSpec("m", folder, folder, LIMITS));
    guest = new GuestProbe(machine);
    guest.hello();
    OpenContext.Builder open = OpenContext.newBuilder().setLanguage("python");
    guest.send(Frame.newBuilder().setChannel(CONTEXT).setOpenContext(open));
    guest.await(CONTEXT, Frame.BodyCase.STARTED);
  }

  @Test
  void lastExpressionIsTheResult() {
    execute("x = 41\nx + 1");

    Result result = guest.await(CONTEXT, Frame.BodyCase.RESULT).getResult();
    assertThat(result.getChunk().toStringUtf8()).isEqualTo("{\"text/plain\":\"42\"}");
    guest.await(CONTEXT, Frame.BodyCase.DONE);
  }

  @Test
  void printedTextIsOutput() {
    execute("print('a' + 'b')");

    assertThat(guest.next(CONTEXT).getData().getBytes().toStringUtf8()).isEqualTo("ab\n");
    guest.await(CONTEXT, Frame.BodyCase.DONE);
  }

  @Test
  void raisedErrorIsTold() {
    execute("raise ValueError('x')");

    Result error = guest.await(CONTEXT, Frame.BodyCase.RESULT).getResult();
    assertThat(error.getKind()).isEqualTo(Result.Kind.ERROR);
    assertThat(error.getChunk().toStringUtf8()).contains("ValueError");
    guest.await(CONTEXT, Frame.BodyCase.DONE);
  }

  @Test
  void endlessLoopCanBeInterrupted() {
    execute("while True: pass");
    assertThat(guest.poll(CONTEXT, Duration.ofMillis(50))).isNull();

    guest.send(Frame.newBuilder().setChannel(CONTEXT).setInterrupt(Interrupt.getDefaultInstance()));

    assertThat(guest.next(CONTEXT).getResult().getChunk().toStringUtf8())
        .contains("KeyboardInterrupt");
    guest.await(CONTEXT, Frame.BodyCase.DONE);
  }

  @Test
  void endlessOutputWaitsForCredit() throws Exception {
    Machine other = driver.boot(new MachineSpec("other", folder.resolve("other"), folder, LIMITS));
    Frame.Builder start = Frame.newBuilder().setChannel(1);
    start.getStartBuilder().addArgv("yes");
    other.stream().write(start.build());
    other.stream().read();
    other.stream().read();
    long sent = 0;
    for (int i = 0; i < FrameCodec.INITIAL_WINDOW / 16_500; i++) {
      Frame frame = other.stream().read();
      assertThat(frame).isNotNull();
      sent += frame == null ? 0 : frame.getSerializedSize();
    }

    assertThat(sent).isLessThanOrEqualTo(FrameCodec.INITIAL_WINDOW);
    other.close();
    assertThat(other.stream().read()).isNull();
  }

  @Test
  void crashEndsTheMachine() {
    driver.crash("m");

    assertThat(machine.exit().join().cause()).isEqualTo(MachineExit.Cause.CRASHED);
    assertThat(driver.machines()).isEmpty();
  }

  private void execute(String code) {
    Execute.Builder execute =
        Execute.newBuilder()
            .setExecution(++execution)
            .setChunk(ByteString.copyFromUtf8(code))
            .setLast(true);
    guest.send(Frame.newBuilder().setChannel(CONTEXT).setExecute(execute));
  }
}
