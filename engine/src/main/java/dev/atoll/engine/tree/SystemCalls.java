package dev.atoll.engine.tree;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;

/**
 * The calls of the kernel that work on descriptors of directories. Each returns what the kernel
 * does, and the negative number of the error when it fails.
 *
 * <p>Safe because every pointer is to a segment that lives until after the call and whose length is
 * given with it, every text ends with a zero byte, and the signatures are those of the C library.
 * Whoever calls owns the descriptors.
 */
final class SystemCalls {
  static final int ENOENT = 2;
  static final int EEXIST = 17;
  static final int EXDEV = 18;
  static final int ENOTDIR = 20;
  static final int EISDIR = 21;
  static final int ENOTEMPTY = 39;
  static final int ELOOP = 40;

  static final int O_RDONLY = 0;
  static final int O_WRONLY = 1;
  static final int O_CREAT = 0100;
  static final int O_EXCL = 0200;
  static final int O_NONBLOCK = 04000;
  static final int O_DIRECTORY = 0200000;
  static final int O_NOFOLLOW = 0400000;
  static final int O_CLOEXEC = 02000000;

  static final int AT_FDCWD = -100;
  static final int AT_SYMLINK_NOFOLLOW = 0x100;
  static final int AT_REMOVEDIR = 0x200;
  static final int AT_EMPTY_PATH = 0x1000;

  private static final long RESOLVE_NO_MAGICLINKS = 0x02;
  private static final long RESOLVE_NO_SYMLINKS = 0x04;
  private static final long RESOLVE_BENEATH = 0x08;
  private static final long OPENAT2 = 437;
  private static final long OPEN_HOW_BYTES = 24;
  private static final int STATX_BASIC = 0x7ff;
  private static final long STATX_BYTES = 256;

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final ValueLayout POINTER = ValueLayout.ADDRESS;

  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private static final MethodHandle SYSCALL =
      function(
          "syscall",
          FunctionDescriptor.of(LONG, LONG, INT, POINTER, POINTER, LONG),
          Linker.Option.firstVariadicArg(1));
  private static final MethodHandle STATX =
      function("statx", FunctionDescriptor.of(INT, INT, POINTER, INT, INT, POINTER));
  private static final MethodHandle MKDIRAT =
      function("mkdirat", FunctionDescriptor.of(INT, INT, POINTER, INT));
  private static final MethodHandle SYMLINKAT =
      function("symlinkat", FunctionDescriptor.of(INT, POINTER, INT, POINTER));
  private static final MethodHandle LINKAT =
      function("linkat", FunctionDescriptor.of(INT, INT, POINTER, INT, POINTER, INT));
  private static final MethodHandle UNLINKAT =
      function("unlinkat", FunctionDescriptor.of(INT, INT, POINTER, INT));
  private static final MethodHandle READLINKAT =
      function("readlinkat", FunctionDescriptor.of(LONG, INT, POINTER, POINTER, LONG));
  private static final MethodHandle FCHOWNAT =
      function("fchownat", FunctionDescriptor.of(INT, INT, POINTER, INT, INT, INT));
  private static final MethodHandle FCHMOD =
      function("fchmod", FunctionDescriptor.of(INT, INT, INT));
  private static final MethodHandle UTIMENSAT =
      function("utimensat", FunctionDescriptor.of(INT, INT, POINTER, POINTER, INT));
  private static final MethodHandle FUTIMENS =
      function("futimens", FunctionDescriptor.of(INT, INT, POINTER));
  private static final MethodHandle GETDENTS =
      function("getdents64", FunctionDescriptor.of(LONG, INT, POINTER, LONG));
  private static final MethodHandle READ =
      function("read", FunctionDescriptor.of(LONG, INT, POINTER, LONG));
  private static final MethodHandle WRITE =
      function("write", FunctionDescriptor.of(LONG, INT, POINTER, LONG));
  private static final MethodHandle CLOSE = function("close", FunctionDescriptor.of(INT, INT));

  private SystemCalls() {}

  @SuppressWarnings("restricted") // the class comment says why the calls are safe
  private static MethodHandle function(
      String name, FunctionDescriptor descriptor, Linker.Option... more) {
    Linker.Option[] options = new Linker.Option[more.length + 1];
    options[0] = Linker.Option.captureCallState("errno");
    System.arraycopy(more, 0, options, 1, more.length);
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor, options);
  }

  /** Something that calls the C library. */
  @FunctionalInterface
  private interface Call {
    long run(Arena arena, MemorySegment state) throws Throwable;
  }

  private static long call(Call call) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      long result = call.run(arena, state);
      return result < 0 ? -(int) ERRNO.get(state, 0L) : result;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("the C library takes these arguments", e);
    }
  }

  private static MemorySegment text(Arena arena, String bytes) {
    return arena.allocateFrom(bytes, StandardCharsets.ISO_8859_1);
  }

  /** Opens one name in a directory; a link is an error, and so is a way out of the directory. */
  static int openBeneath(int directory, String name, int flags, int mode) {
    return open(
        directory,
        name,
        flags,
        mode,
        RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
  }

  /** Opens a path of the server's own. */
  static int openOwn(String path, int flags) {
    return open(AT_FDCWD, path, flags, 0, 0);
  }

  private static int open(int directory, String path, int flags, int mode, long resolve) {
    return (int)
        call(
            (arena, state) -> {
              MemorySegment how = arena.allocate(OPEN_HOW_BYTES, Long.BYTES);
              how.set(LONG, 0, flags | O_CLOEXEC);
              how.set(LONG, 8, mode);
              how.set(LONG, 16, resolve);
              return (long)
                  SYSCALL.invokeExact(
                      state, OPENAT2, directory, text(arena, path), how, OPEN_HOW_BYTES);
            });
  }

  /** Fills in what is at a name, or at the descriptor itself for an empty one. */
  static int status(int directory, String name, StatusBuffer buffer) {
    return (int)
        call(
            (arena, state) -> {
              MemorySegment status = arena.allocate(STATX_BYTES, Long.BYTES);
              int flags = AT_SYMLINK_NOFOLLOW | (name.isEmpty() ? AT_EMPTY_PATH : 0);
              int result =
                  (int)
                      STATX.invokeExact(
                          state, directory, text(arena, name), flags, STATX_BASIC, status);
              if (result == 0) {
                buffer.take(status);
              }
              return result;
            });
  }

  /** Receives what {@link #status} has found, while it is there. */
  @FunctionalInterface
  interface StatusBuffer {
    void take(MemorySegment status);
  }

  static int mkdir(int directory, String name, int mode) {
    return (int)
        call(
            (arena, state) -> (int) MKDIRAT.invokeExact(state, directory, text(arena, name), mode));
  }

  static int symlink(String target, int directory, String name) {
    return (int)
        call(
            (arena, state) ->
                (int)
                    SYMLINKAT.invokeExact(
                        state, text(arena, target), directory, text(arena, name)));
  }

  /** Without flags: a link at the old name is linked itself, not what it leads to. */
  static int link(int fromDirectory, String from, int directory, String name) {
    return (int)
        call(
            (arena, state) ->
                (int)
                    LINKAT.invokeExact(
                        state, fromDirectory, text(arena, from), directory, text(arena, name), 0));
  }

  static int unlink(int directory, String name, int flags) {
    return (int)
        call(
            (arena, state) ->
                (int) UNLINKAT.invokeExact(state, directory, text(arena, name), flags));
  }

  /** The length of the target, which may be cut off at the end of the buffer. */
  static int readlink(int directory, String name, byte[] target) {
    return (int)
        call(
            (arena, state) -> {
              MemorySegment buffer = arena.allocate(target.length);
              long length =
                  (long)
                      READLINKAT.invokeExact(
                          state, directory, text(arena, name), buffer, (long) target.length);
              if (length > 0) {
                MemorySegment.copy(
                    buffer, ValueLayout.JAVA_BYTE, 0, target, 0, Math.toIntExact(length));
              }
              return length;
            });
  }

  /** Of a name, of which a link is changed itself, or of the descriptor for an empty one. */
  static int chown(int directory, String name, int uid, int gid) {
    int flags = AT_SYMLINK_NOFOLLOW | (name.isEmpty() ? AT_EMPTY_PATH : 0);
    return (int)
        call(
            (arena, state) ->
                (int) FCHOWNAT.invokeExact(state, directory, text(arena, name), uid, gid, flags));
  }

  static int chmod(int descriptor, int mode) {
    return (int) call((_, state) -> (int) FCHMOD.invokeExact(state, descriptor, mode));
  }

  /** Sets both times; of a name, of which a link is changed itself, or of the descriptor. */
  static int times(int directory, String name, long seconds, long nanos) {
    return (int)
        call(
            (arena, state) -> {
              MemorySegment times = arena.allocate(32, Long.BYTES);
              times.set(LONG, 0, seconds);
              times.set(LONG, 8, nanos);
              times.set(LONG, 16, seconds);
              times.set(LONG, 24, nanos);
              return name.isEmpty()
                  ? (int) FUTIMENS.invokeExact(state, directory, times)
                  : (int)
                      UTIMENSAT.invokeExact(
                          state, directory, text(arena, name), times, AT_SYMLINK_NOFOLLOW);
            });
  }

  static long entries(int directory, MemorySegment buffer) {
    return call(
        (_, state) -> (long) GETDENTS.invokeExact(state, directory, buffer, buffer.byteSize()));
  }

  static long read(int descriptor, MemorySegment buffer, long length) {
    long most = Math.min(length, buffer.byteSize());
    return call((_, state) -> (long) READ.invokeExact(state, descriptor, buffer, most));
  }

  static long write(int descriptor, MemorySegment bytes) {
    return call((_, state) -> (long) WRITE.invokeExact(state, descriptor, bytes, bytes.byteSize()));
  }

  static void close(int descriptor) {
    long _ = call((_, state) -> (int) CLOSE.invokeExact(state, descriptor));
  }
}
