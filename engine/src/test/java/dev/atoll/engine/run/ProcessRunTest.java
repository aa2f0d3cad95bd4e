package dev.atoll.engine.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.driver.FrameStream;
import dev.atoll.engine.guest.Guest;
import dev.atoll.model.AtollException;
import dev.atoll.protocol.ProtocolException;
import dev.atoll.protocol.wire.Data;
import dev.atoll.protocol.wire.Exit;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Start;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ProcessRunTest {
  /** Answers a start with a frame of its own. */
  private record Answering(Frame.Builder answer, BlockingQueue<Frame> answers)
      implements FrameStream {
    @Override
    public Frame read() {
      try {
        return answers.take();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ProtocolException("the test is over");
      }
    }

    @Override
    public void write(Frame frame) {
      if (frame.hasStart()) {
        answers.add(answer.setChannel(frame.getChannel()).build());
      }
    }

    @Override
    public long replayed() {
      return 0;
    }
  }

  static List<Frame.Builder> early() {
    return List.of(
        Frame.newBuilder().setData(Data.getDefaultInstance()),
        Frame.newBuilder().setExit(Exit.getDefaultInstance()));
  }

  @ParameterizedTest
  @MethodSource("early")
  void aProgramThatHasNotStartedNeitherPrintsNorEnds(Frame.Builder early) throws Exception {
    CompletableFuture<Guest.Loss> lost = new CompletableFuture<>();
    Guest guest = new Guest(new Answering(early, new LinkedBlockingQueue<>()), lost::complete);
    guest.start("liar");
    ProcessTag tag =
        new ProcessTag(
            "run_abc1", false, false, Instant.EPOCH, 0, 1000, null, null, null, List.of("true"));
    assertThatThrownBy(() -> ProcessRun.start(guest, tag, Start.newBuilder()))
        .isInstanceOf(AtollException.class);
    assertThat(lost.get(60, TimeUnit.SECONDS).protocol()).isTrue();
    assertThat(lost.join().reason()).contains("has not started");
  }
}
