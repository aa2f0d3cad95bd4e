package dev.atoll.driver.testkit;

import com.google.protobuf.ByteString;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.wire.Closed;
import dev.atoll.protocol.wire.Connected;
import dev.atoll.protocol.wire.Credit;
import dev.atoll.protocol.wire.Data;
import dev.atoll.protocol.wire.Eof;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Stream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * A connection of the host to a port of a fake guest. The program {@code listen} says which ports
 * there are; behind each is the same port of the test's own machine, so that any server that a test
 * starts can be what runs inside.
 */
final class FakeDial implements FakeJob {
  private static final byte[] END = new byte[0];

  private final transient @Nullable Socket socket;
  private final transient BlockingQueue<byte[]> toProgram = new LinkedBlockingQueue<>();
  private boolean hostEnded;
  private boolean programEnded;

  FakeDial(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
  }

  private Socket socket() {
    return Objects.requireNonNull(socket);
  }

  @Override
  public void begin(FakeGuest guest, FakeChannel channel) {
    channel.send(guest.output(), Frame.newBuilder().setConnected(Connected.getDefaultInstance()));
    guest.onDeath(_ -> reset());
    Thread.ofVirtual().name("fake-dial-out").start(() -> carryOut(guest, channel));
    Thread.ofVirtual().name("fake-dial-in").start(() -> carryIn(guest, channel));
  }

  private void carryOut(FakeGuest guest, FakeChannel channel) {
    byte[] buffer = new byte[16_384];
    try {
      for (int n = socket().getInputStream().read(buffer);
          n >= 0;
          n = socket().getInputStream().read(buffer)) {
        Data.Builder data =
            Data.newBuilder().setStream(Stream.BYTES).setBytes(ByteString.copyFrom(buffer, 0, n));
        if (!guest.whenAwake(
            channel, () -> send(guest, channel, Frame.newBuilder().setData(data)))) {
          return;
        }
      }
      guest.whenAwake(
          channel,
          () -> {
            programEnded = true;
            send(
                guest,
                channel,
                Frame.newBuilder().setEof(Eof.newBuilder().setStream(Stream.BYTES)));
            closeIfDone(guest, channel);
          });
    } catch (IOException e) {
      guest.whenAwake(channel, () -> close(guest, channel));
    }
  }

  private void carryIn(FakeGuest guest, FakeChannel channel) {
    try {
      for (byte[] bytes = toProgram.take(); bytes.length > 0; bytes = toProgram.take()) {
        socket().getOutputStream().write(bytes);
        guest.whenAwake(channel, () -> grant(guest, channel));
      }
      socket().shutdownOutput();
      guest.whenAwake(
          channel,
          () -> {
            hostEnded = true;
            closeIfDone(guest, channel);
          });
    } catch (IOException e) {
      // The other direction finds out as well, and tells.
      reset();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void send(FakeGuest guest, FakeChannel channel, Frame.Builder frame) {
    channel.send(guest.output(), frame);
  }

  private void grant(FakeGuest guest, FakeChannel channel) {
    if (toProgram.isEmpty()) {
      Credit.Builder credit =
          Credit.newBuilder().setLimit(channel.received + FrameCodec.INITIAL_WINDOW);
      send(guest, channel, Frame.newBuilder().setCredit(credit));
    }
  }

  private void closeIfDone(FakeGuest guest, FakeChannel channel) {
    if (hostEnded && programEnded) {
      close(guest, channel);
    }
  }

  private void close(FakeGuest guest, FakeChannel channel) {
    guest.state().channels.remove(channel.id);
    send(guest, channel, Frame.newBuilder().setClosed(Closed.getDefaultInstance()));
    reset();
  }

  @Override
  public void input(FakeGuest guest, FakeChannel channel, byte[] bytes) {
    if (bytes.length > 0) {
      toProgram.add(bytes);
    }
  }

  @Override
  public void endOfInput(FakeGuest guest, FakeChannel channel) {
    toProgram.add(END);
  }

  @Override
  public void closed(FakeGuest guest, FakeChannel channel) {
    reset();
  }

  private void reset() {
    try {
      toProgram.add(END);
      socket().close();
    } catch (IOException e) {
      // It is given up either way.
    }
  }
}
