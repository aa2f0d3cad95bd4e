package dev.atoll.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Enters a folder before any code runs; later a Java process cannot change its folder. */
final class WorkingDirectory {
  private static final int IO_ERROR = 5;

  private WorkingDirectory() {}

  /** 0, or the errno of what went wrong. */
  static int enter(String path) {
    if (path.isEmpty()) {
      return 0;
    }
    Linker linker = Linker.nativeLinker();
    StructLayout state = Linker.Option.captureStateLayout();
    MethodHandle chdir =
        linker.downcallHandle(
            linker.defaultLookup().find("chdir").orElseThrow(),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS),
            Linker.Option.captureCallState("errno"));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment captured = arena.allocate(state);
      int result = (int) chdir.invokeExact(captured, arena.allocateFrom(path));
      if (result != 0) {
        return captured.get(ValueLayout.JAVA_INT, state.byteOffset(java.lang.foreign.MemoryLayout.PathElement.groupElement("errno")));
      }
      System.setProperty("user.dir", path);
      return 0;
    } catch (Throwable e) {
      return IO_ERROR;
    }
  }
}
