package dev.atoll.engine.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.driver.FrameStream;
import dev.atoll.engine.guest.Guest;
import dev.atoll.protocol.wire.Entry;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Ok;
import dev.atoll.protocol.wire.Stat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TransferTest {
  /** A guest that answers everything with the same frame, for ever. */
  private static final class Parrot implements FrameStream {
    private final CompletableFuture<Integer> channel = new CompletableFuture<>();
    private final Frame answer;

    Parrot(Frame answer) {
      this.answer = answer;
    }

    @Override
    public Frame read() {
      return answer.toBuilder().setChannel(channel.join()).build();
    }

    @Override
    public void write(Frame frame) {
      channel.complete(frame.getChannel());
    }

    @Override
    public long replayed() {
      return 0;
    }
  }

  static Stream<Frame> answers() {
    return Stream.of(
        Frame.newBuilder().setOk(Ok.getDefaultInstance()).build(),
        Frame.newBuilder().setEntry(Entry.newBuilder().setPath("/a")).build());
  }

  @ParameterizedTest
  @MethodSource("answers")
  void answersWithoutEndToOneQuestionEndTheGuest(Frame answer) throws Exception {
    CompletableFuture<Guest.Loss> lost = new CompletableFuture<>();
    Guest guest = new Guest(new Parrot(answer), lost::complete);
    guest.start("parrot");
    try (Transfer transfer =
        new Transfer(guest, "/a", Frame.newBuilder().setStat(Stat.newBuilder().setPath("/a")))) {
      Guest.Loss loss = lost.get(60, TimeUnit.SECONDS);
      assertThat(loss.protocol()).isTrue();
      assertThat(loss.reason()).contains("answers to one question");
      assertThat(transfer.isOver()).isTrue();
    }
  }
}
