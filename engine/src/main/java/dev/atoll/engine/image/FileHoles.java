package dev.atoll.engine.image;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.List;

/** Gives parts of files back to the file system; the rest stays at its offset. */
final class FileHoles {
  private static final int O_RDWR = 2;
  private static final int O_CLOEXEC = 0x80000;
  private static final int KEEP_SIZE_AND_PUNCH_HOLE = 1 | 2;
  private static final int EXCLUSIVE_WITHOUT_WAITING = 2 | 4;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  private static final MethodHandle OPEN =
      function("open", FunctionDescriptor.of(INT, ValueLayout.ADDRESS, INT));
  private static final MethodHandle FALLOCATE =
      function("fallocate", FunctionDescriptor.of(INT, INT, INT, LONG, LONG));
  private static final MethodHandle LOCK = function("flock", FunctionDescriptor.of(INT, INT, INT));
  private static final MethodHandle CLOSE = function("close", FunctionDescriptor.of(INT, INT));

  private FileHoles() {}

  /**
   * Frees the ranges as far as they are whole blocks. A file system that cannot do this keeps the
   * bytes, which costs room and nothing else.
   *
   * @return false if a machine still reads the file, which then stays as it is
   */
  static boolean punch(Path file, List<Coverage.Range> ranges) {
    try (Arena arena = Arena.ofConfined()) {
      // Safe: the name lives in the arena until after the call, open without O_CREAT takes no third
      // argument, and the descriptor is closed below by the only code that ever sees it. The ranges
      // are of a file that the caller has pinned, and no manifest refers to them.
      int descriptor =
          (int) OPEN.invokeExact(arena.allocateFrom(file.toString()), O_RDWR | O_CLOEXEC);
      if (descriptor < 0) {
        return true;
      }
      try {
        if ((int) LOCK.invokeExact(descriptor, EXCLUSIVE_WITHOUT_WAITING) != 0) {
          return false;
        }
        for (Coverage.Range range : ranges) {
          int ignored =
              (int)
                  FALLOCATE.invokeExact(
                      descriptor, KEEP_SIZE_AND_PUNCH_HOLE, range.start(), range.length());
        }
        return true;
      } finally {
        int ignored = (int) CLOSE.invokeExact(descriptor);
      }
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("the C library takes these arguments", e);
    }
  }

  @SuppressWarnings("restricted") // punch() says why the calls are safe
  private static MethodHandle function(String name, FunctionDescriptor descriptor) {
    MemorySegment symbol = Linker.nativeLinker().defaultLookup().findOrThrow(name);
    return Linker.nativeLinker().downcallHandle(symbol, descriptor);
  }
}
