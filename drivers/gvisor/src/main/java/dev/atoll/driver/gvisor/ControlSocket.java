package dev.atoll.driver.gvisor;

import static dev.atoll.driver.gvisor.SystemCalls.INT;
import static dev.atoll.driver.gvisor.SystemCalls.LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A unix socket by which open files are handed to the process at its other end. The layouts are
 * those of every 64-bit Linux with a little-endian processor.
 *
 * @param descriptor closed by this object alone
 */
record ControlSocket(int descriptor) implements AutoCloseable {
  private static final int UNIX = 1;
  private static final int STREAM = 1;
  private static final int CLOSE_ON_EXEC = 0x80000;
  private static final int SOCKET_LEVEL = 1;
  private static final int RECEIVE_TIMEOUT = 20;
  private static final int PEER_CREDENTIALS = 17;
  private static final int RIGHTS = 1;
  private static final int NO_SIGNAL = 0x4000;

  private static final int ADDRESS_BYTES = 110;
  private static final int MESSAGE_BYTES = 56;
  private static final int CONTROL_HEADER = 16;

  /** Process, user and group. */
  private static final int CREDENTIALS_BYTES = 12;

  /** Connects to a socket that a process of that user listens at; anything else is refused. */
  static ControlSocket connect(Path path, int uid, Duration timeout) throws IOException {
    byte[] name = path.toString().getBytes(StandardCharsets.UTF_8);
    if (name.length > ADDRESS_BYTES - 3) {
      throw new IOException(path + " is too long for a socket");
    }
    ControlSocket socket =
        new ControlSocket((int) SystemCalls.SOCKET.call(UNIX, STREAM | CLOSE_ON_EXEC, 0));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(ADDRESS_BYTES, Short.BYTES);
      address.set(ValueLayout.JAVA_SHORT, 0, (short) UNIX);
      MemorySegment.copy(name, 0, address, ValueLayout.JAVA_BYTE, Short.BYTES, name.length);
      MemorySegment time = arena.allocate(2 * Long.BYTES, Long.BYTES);
      time.set(LONG, 0, timeout.toSeconds());
      // Safe: both segments have the sizes that are given and live until after the calls; the
      // allocation is zero, so the name ends.

      SystemCalls.TIME_OUT.call(
          socket.descriptor, SOCKET_LEVEL, RECEIVE_TIMEOUT, time, Math.toIntExact(time.byteSize()));
      SystemCalls.CONNECT.call(socket.descriptor, address, ADDRESS_BYTES);
      int listener = socket.listener(arena);
      if (listener != uid) {
        throw new IOException("user %d listens at %s instead of %d".formatted(listener, path, uid));
      }
      return socket;
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  /** The user of the process that made the socket at the other end, as the kernel noted it. */
  private int listener(Arena arena) throws IOException {
    MemorySegment credentials = arena.allocate(CREDENTIALS_BYTES, Integer.BYTES);
    MemorySegment size = arena.allocate(INT);
    size.set(INT, 0, CREDENTIALS_BYTES);
    // Safe: the segment has the size that is given, and both live until after the call.
    SystemCalls.GET_OPTION.call(descriptor, SOCKET_LEVEL, PEER_CREDENTIALS, credentials, size);
    return credentials.get(INT, Integer.BYTES);
  }

  /** Sends all bytes, and the files with the first of them. */
  void send(byte[] bytes, List<OpenFile> files) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocate(bytes.length);
      MemorySegment.copy(bytes, 0, data, ValueLayout.JAVA_BYTE, 0, bytes.length);
      MemorySegment vector = arena.allocate(2 * Long.BYTES, Long.BYTES);
      MemorySegment message = arena.allocate(MESSAGE_BYTES, Long.BYTES);
      message.set(ValueLayout.ADDRESS, 16, vector);
      message.set(LONG, 24, 1);
      if (!files.isEmpty()) {
        MemorySegment control = control(arena, files);
        message.set(ValueLayout.ADDRESS, 32, control);
        message.set(LONG, 40, control.byteSize());
      }
      for (long sent = 0; sent < bytes.length; ) {
        vector.set(ValueLayout.ADDRESS, 0, data.asSlice(sent));
        vector.set(LONG, Long.BYTES, bytes.length - sent);
        // Safe: the message names segments of this arena, with their own sizes.
        sent += SystemCalls.SEND_MESSAGE.call(descriptor, message, NO_SIGNAL);
        message.set(ValueLayout.ADDRESS, 32, MemorySegment.NULL);
        message.set(LONG, 40, 0);
      }
    }
  }

  private static MemorySegment control(Arena arena, List<OpenFile> files) {
    long length = CONTROL_HEADER + (long) files.size() * Integer.BYTES;
    long padded = (length + Long.BYTES - 1) / Long.BYTES * Long.BYTES;
    MemorySegment control = arena.allocate(padded, Long.BYTES);
    control.set(LONG, 0, length);
    control.set(INT, 8, SOCKET_LEVEL);
    control.set(INT, 12, RIGHTS);
    for (int i = 0; i < files.size(); i++) {
      control.set(INT, CONTROL_HEADER + (long) i * Integer.BYTES, files.get(i).descriptor());
    }
    return control;
  }

  /** What came, at most that many bytes; none when the other end has closed. */
  byte[] receive(int most) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(most);
      // Safe: the buffer has the size that is given.
      long length = SystemCalls.RECEIVE.call(descriptor, buffer, (long) most, 0);
      return buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }
  }

  @Override
  public void close() throws IOException {
    // Safe: nobody else closes the descriptor, so it is still this socket's.
    SystemCalls.CLOSE.call(descriptor);
  }
}
