package dev.atoll.server;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;

/** What no file of this process, and of those that it starts, is made with. */
final class FileModeMask {
  /** Whatever others than the owner could do. */
  private static final int OF_OTHERS = 0077;

  private FileModeMask() {}

  /**
   * Keeps others out of every file that is made from now on, unless its maker opens it by name.
   * Before the first file is made, and before there are threads that could make one.
   */
  @SuppressWarnings("restricted") // umask takes a number, returns one, and cannot fail
  static void shutOutOthers() {
    Linker linker = Linker.nativeLinker();
    try {
      int before =
          (int)
              linker
                  .downcallHandle(
                      linker.defaultLookup().findOrThrow("umask"),
                      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT))
                  .invokeExact(OF_OTHERS);
      assert before >= 0;
    } catch (Throwable e) {
      throw new IllegalStateException("the mask of file modes cannot be set", e);
    }
  }
}
