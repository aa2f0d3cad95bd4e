package dev.atoll.driver.testkit;

import com.google.protobuf.ByteString;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.wire.ChannelInfo;
import dev.atoll.protocol.wire.Closed;
import dev.atoll.protocol.wire.Connect;
import dev.atoll.protocol.wire.Credit;
import dev.atoll.protocol.wire.Data;
import dev.atoll.protocol.wire.Eof;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Stream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A connection that a program in a fake guest has asked the host for. */
final class FakeFetch implements FakeJob {
  private final int process;
  private final String text;

  private FakeFetch(int process, String text) {
    this.process = process;
    this.text = text;
  }

  /** Asks for a connection; the program goes on when it has ended. */
  static void start(FakeGuest guest, FakeChannel process, List<String> arguments) {
    FakeState state = guest.state();
    String text = String.join(" ", arguments.subList(2, arguments.size()));
    FakeChannel channel =
        new FakeChannel(
            ++state.lastOwnChannel, ChannelInfo.Kind.OTHER, "", 0, new FakeFetch(process.id, text));
    state.channels.put(channel.id, channel);
    Connect.Builder connect =
        Connect.newBuilder()
            .setHost(arguments.get(0))
            .setPort(Integer.parseInt(arguments.get(1)))
            .setWay(Connect.Way.DIRECT);
    channel.send(guest.output(), Frame.newBuilder().setConnect(connect));
  }

  @Override
  public void answer(FakeGuest guest, FakeChannel channel, Frame answer) {
    if (answer.hasRefused()) {
      guest.state().channels.remove(channel.id);
      end(guest, answer.getRefused().getMessage() + "\n", 1);
      return;
    }
    Data.Builder data =
        Data.newBuilder().setStream(Stream.BYTES).setBytes(ByteString.copyFromUtf8(text));
    channel.send(guest.output(), Frame.newBuilder().setData(data));
    channel.send(
        guest.output(), Frame.newBuilder().setEof(Eof.newBuilder().setStream(Stream.BYTES)));
  }

  @Override
  public void input(FakeGuest guest, FakeChannel channel, byte[] bytes) {
    FakeChannel program = guest.state().channels.get(process);
    if (program != null && program.running()) {
      guest.print(program, Stream.STDOUT, new String(bytes, StandardCharsets.UTF_8));
    }
    Credit.Builder credit =
        Credit.newBuilder().setLimit(channel.received + FrameCodec.INITIAL_WINDOW);
    channel.send(guest.output(), Frame.newBuilder().setCredit(credit));
  }

  @Override
  public void endOfInput(FakeGuest guest, FakeChannel channel) {
    guest.state().channels.remove(channel.id);
    channel.send(guest.output(), Frame.newBuilder().setClosed(Closed.getDefaultInstance()));
    end(guest, "", 0);
  }

  @Override
  public void closed(FakeGuest guest, FakeChannel channel) {
    end(guest, "connection reset\n", 1);
  }

  private void end(FakeGuest guest, String message, int status) {
    FakeChannel program = guest.state().channels.get(process);
    if (program != null && program.running() && program.job instanceof FakeProcess running) {
      if (!message.isEmpty()) {
        guest.print(program, Stream.STDERR, message);
      }
      running.next(guest, program, status);
    }
  }
}
