package dev.atoll.driver.gvisor;

import dev.atoll.driver.FrameStream;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.ProtocolException;
import dev.atoll.protocol.wire.Frame;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Frames over a keeper's socket, in the records that {@code guest/KEEPER.md} describes. */
final class KeeperStream implements FrameStream, Closeable {
  private static final int HEADER = 5;
  private static final int HELLO = 20;
  private static final int STATUS = 4;
  private static final int READ_BUFFER = 16_384;

  private final SocketChannel channel;
  private final DataInputStream in;
  private final ReentrantLock writing = new ReentrantLock();
  private final long replayed;
  private Listener listener = new Listener() {};
  private @Nullable Frame peeked;
  private boolean ended;
  private volatile boolean heard;

  /** Told by the reading thread how the stream came to its end. */
  interface Listener {
    /** The machine's command has ended with that wait status. */
    default void ended(int status) {}

    /** The keeper hung up; another server may have taken over, or the keeper is no more. */
    default void lost() {}

    /** The guest sent something that is no frame. */
    default void broken(ProtocolException problem) {}
  }

  private KeeperStream(SocketChannel channel, DataInputStream in, long replayed) {
    this.channel = channel;
    this.in = in;
    this.replayed = replayed;
  }

  static KeeperStream connect(Path socket, Duration timeout) throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.connect(UnixDomainSocketAddress.of(socket));
      await(channel, timeout);
      DataInputStream in =
          new DataInputStream(
              new BufferedInputStream(Channels.newInputStream(channel), READ_BUFFER));
      if (in.readByte() != 'H' || in.readInt() != HELLO) {
        throw new IOException(socket + " is not a keeper's socket");
      }
      long first = in.readLong();
      long next = in.readLong();
      in.skipNBytes(4);
      return new KeeperStream(channel, in, next - first);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /** Must be called before the first read. */
  void listen(Listener newListener) {
    this.listener = newListener;
  }

  /** Waits for the next frame, which the next read will give once more. */
  @Nullable Frame peek(Duration timeout) throws IOException {
    if (peeked == null) {
      if (in.available() == 0) {
        await(channel, timeout);
      }
      peeked = next();
    }
    return peeked;
  }

  @Override
  public @Nullable Frame read() throws IOException {
    Frame frame = peeked;
    if (frame != null) {
      peeked = null;
      return frame;
    }
    return next();
  }

  private @Nullable Frame next() throws IOException {
    if (ended) {
      return null;
    }
    try {
      byte type = in.readByte();
      int length = in.readInt();
      if (type == 'F' && length >= 0 && length <= FrameCodec.MAX_FRAME) {
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        heard = true;
        return FrameCodec.decode(bytes);
      }
      ended = true;
      if (type != 'X' || length != STATUS) {
        throw new ProtocolException("record of type %d and %d bytes".formatted(type, length));
      }
      listener.ended(in.readInt());
      return null;
    } catch (EOFException | ClosedChannelException e) {
      ended = true;
      listener.lost();
      return null;
    } catch (ProtocolException e) {
      ended = true;
      listener.broken(e);
      throw e;
    }
  }

  @Override
  public void write(Frame frame) throws IOException {
    send('F', FrameCodec.encode(frame));
  }

  /** Lets the keeper run the command that brings its machine to life. */
  void begin(List<String> command) throws IOException {
    send('B', (String.join("\0", command) + "\0").getBytes(StandardCharsets.UTF_8));
  }

  private void send(char type, byte[] bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(HEADER + bytes.length);
    buffer.put((byte) type).putInt(bytes.length).put(bytes).flip();
    writing.lock();
    try {
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    } finally {
      writing.unlock();
    }
  }

  /** Whether the guest has said anything: it runs, and a restore of it is over. */
  boolean heard() {
    return heard;
  }

  @Override
  public long replayed() {
    return replayed;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  private static void await(SocketChannel channel, Duration timeout) throws IOException {
    channel.configureBlocking(false);
    try (Selector selector = Selector.open()) {
      channel.register(selector, SelectionKey.OP_READ);
      if (selector.select(timeout.toMillis()) == 0) {
        throw new java.net.SocketTimeoutException("nothing within " + timeout.toMillis() + " ms");
      }
    }
    channel.configureBlocking(true);
  }
}
