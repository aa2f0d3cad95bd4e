package dev.atoll.driver.gvisor;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.ToLongFunction;

/**
 * How much of a file is allocated on disk. Java tells only its size, and gVisor's file of writes is
 * sparse.
 */
final class DiskBlocks {
  private static final int CURRENT_DIRECTORY = -100;
  private static final int STATX_NLINK = 0x4;
  private static final int STATX_BLOCKS = 0x400;
  private static final int STATX_SIZE = 256;

  /** {@code stx_nlink}. */
  private static final long LINKS_OFFSET = 16;

  /** {@code stx_blocks}; the layout of statx, unlike that of stat, is the same on every machine. */
  private static final long BLOCKS_OFFSET = 48;

  private static final int BLOCK = 512;

  @SuppressWarnings("restricted") // ask() below says why the call is safe
  private static final MethodHandle STATX =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("statx"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.ADDRESS,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.ADDRESS));

  private DiskBlocks() {}

  /** Bytes allocated for the file; follows links, those in /proc too. */
  static long allocated(Path file) throws IOException {
    return ask(file, STATX_BLOCKS, buffer -> buffer.get(ValueLayout.JAVA_LONG, BLOCKS_OFFSET))
        * BLOCK;
  }

  /** Whether the file has no name any more; follows links as well. */
  static boolean isUnlinked(Path file) throws IOException {
    return ask(file, STATX_NLINK, buffer -> (long) buffer.get(ValueLayout.JAVA_INT, LINKS_OFFSET))
        == 0;
  }

  private static long ask(Path file, int what, ToLongFunction<MemorySegment> answer)
      throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(STATX_SIZE, Long.BYTES);
      MemorySegment name = arena.allocateFrom(file.toString());
      // Safe: both segments live in the arena until after the call, and the buffer has the size of
      // struct statx, which the kernel never exceeds.
      int result = (int) STATX.invokeExact(CURRENT_DIRECTORY, name, 0, what, buffer);
      if (result != 0) {
        throw new NoSuchFileException(file.toString());
      }
      return answer.applyAsLong(buffer);
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("statx takes these arguments", e);
    }
  }
}
