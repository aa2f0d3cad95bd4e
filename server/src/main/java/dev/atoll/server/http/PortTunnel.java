package dev.atoll.server.http;

import dev.atoll.engine.net.PortConnection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A caller's connection that has become one with a program's, as after the handshake of a
 * WebSocket. Two virtual threads carry the bytes, one each way; the end of one direction is passed
 * on, and a failure of either ends both.
 */
final class PortTunnel extends AbstractConnection implements Connection.UpgradeTo {
  private static final Logger log = LoggerFactory.getLogger(PortTunnel.class);
  private static final int BUFFER = 16 << 10;

  private final PortConnection program;
  private final ByteBuffer fromProgram;
  private final AtomicInteger directions = new AtomicInteger(2);
  private @Nullable ByteBuffer fromCaller;

  /**
   * @param first what the program has sent behind the head of its answer
   */
  PortTunnel(EndPoint endPoint, Executor executor, PortConnection program, ByteBuffer first) {
    super(endPoint, executor);
    this.program = program;
    this.fromProgram = first;
  }

  @Override
  public void onUpgradeTo(@Nullable ByteBuffer buffer) {
    fromCaller = buffer;
  }

  @Override
  public void onOpen() {
    super.onOpen();
    // The engine closes what is silent for too long.
    getEndPoint().setIdleTimeout(0);
    Thread.ofVirtual().name("port-tunnel-in").start(() -> carry(this::in));
    Thread.ofVirtual().name("port-tunnel-out").start(() -> carry(this::out));
  }

  private interface Direction {
    void carry() throws IOException;
  }

  private void carry(Direction direction) {
    boolean done = false;
    try {
      direction.carry();
      done = true;
    } catch (IOException e) {
      log.debug("a tunnel to a port has broken", e);
    } finally {
      if (directions.decrementAndGet() == 0 || !done) {
        close();
      }
    }
  }

  private void in() throws IOException {
    ByteBuffer early = fromCaller;
    if (early != null && early.hasRemaining()) {
      program.write(early);
    }
    ByteBuffer buffer = BufferUtil.allocate(BUFFER);
    while (true) {
      int filled = getEndPoint().fill(buffer);
      if (filled < 0) {
        program.end();
        return;
      }
      if (filled == 0) {
        try (Blocker.Callback readable = Blocker.callback()) {
          fillInterested(readable);
          readable.block();
        }
      } else {
        program.write(buffer);
      }
    }
  }

  private void out() throws IOException {
    for (ByteBuffer bytes = fromProgram; bytes != null; bytes = program.read()) {
      if (bytes.hasRemaining()) {
        try (Blocker.Callback written = Blocker.callback()) {
          getEndPoint().write(written, bytes);
          written.block();
        }
      }
    }
    getEndPoint().shutdownOutput();
  }

  @Override
  public void onFillable() {
    // The thread that reads has a callback of its own.
  }

  @Override
  public void close() {
    program.close();
    super.close();
  }

  @Override
  public void onClose(@Nullable Throwable cause) {
    program.close();
    super.onClose(cause);
  }
}
