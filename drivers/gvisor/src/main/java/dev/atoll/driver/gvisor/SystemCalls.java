package dev.atoll.driver.gvisor;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * The calls of the C library that hand an open file to another process, which Java cannot. A call
 * may block its thread: callers run on platform threads, since a virtual one would hold its carrier
 * meanwhile.
 */
final class SystemCalls {
  static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  private static final int INTERRUPTED = 4;
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  static final SystemCalls OPEN = new SystemCalls("open", INT, ValueLayout.ADDRESS, INT);
  static final SystemCalls CLOSE = new SystemCalls("close", INT, INT);
  static final SystemCalls SOCKET = new SystemCalls("socket", INT, INT, INT, INT);
  static final SystemCalls CONNECT = new SystemCalls("connect", INT, INT, ValueLayout.ADDRESS, INT);
  static final SystemCalls TIME_OUT =
      new SystemCalls("setsockopt", INT, INT, INT, INT, ValueLayout.ADDRESS, INT);
  static final SystemCalls GET_OPTION =
      new SystemCalls("getsockopt", INT, INT, INT, INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS);
  static final SystemCalls SEND_MESSAGE =
      new SystemCalls("sendmsg", LONG, INT, ValueLayout.ADDRESS, INT);
  static final SystemCalls RECEIVE =
      new SystemCalls("recv", LONG, INT, ValueLayout.ADDRESS, LONG, INT);
  static final SystemCalls LOCK = new SystemCalls("flock", INT, INT, INT);
  static final SystemCalls SYNC_RANGE =
      new SystemCalls("sync_file_range", INT, INT, LONG, LONG, INT);

  private final String name;
  private final MethodHandle handle;

  @SuppressWarnings("restricted") // the callers say why their arguments are safe
  private SystemCalls(String name, MemoryLayout result, MemoryLayout... arguments) {
    Linker linker = Linker.nativeLinker();
    this.name = name;
    this.handle =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow(name),
            FunctionDescriptor.of(result, arguments),
            Linker.Option.captureCallState("errno"));
  }

  /** The result of the call, made again when a signal interrupts it. */
  long call(Object... arguments) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      List<Object> all = new ArrayList<>(List.of(state));
      all.addAll(List.of(arguments));
      while (true) {
        long result = ((Number) handle.invokeWithArguments(all)).longValue();
        int error = (int) ERRNO.get(state, 0L);
        if (result >= 0) {
          return result;
        }
        if (error != INTERRUPTED) {
          throw new IOException(name + " failed with error number " + error);
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(name + " takes these arguments", e);
    }
  }
}
