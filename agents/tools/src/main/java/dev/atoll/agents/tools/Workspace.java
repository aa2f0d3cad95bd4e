package dev.atoll.agents.tools;

import dev.atoll.model.FileList;
import dev.atoll.model.Installer;
import dev.atoll.model.PackagesResult;
import dev.atoll.model.RunResult;
import dev.atoll.sdk.Sandbox;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What tools need of a sandbox. {@link #of(Sandbox)} is one on a real sandbox.
 *
 * <p>An interrupt of the calling thread ends what it waits for, with the SDK's {@code
 * CallInterruptedException}.
 */
public interface Workspace extends AutoCloseable {
  /** A workspace in a sandbox; closing it closes the sandbox. */
  static Workspace of(Sandbox sandbox) {
    return new SandboxWorkspace(sandbox);
  }

  /** The sandbox's id. */
  String id();

  /** What a model has to know of it. */
  WorkspaceFacts facts();

  /** Runs code in the context of its language, which keeps variables; null is its own language. */
  RunResult runCode(
      String code, @Nullable String language, Duration timeout, OutputListener listener);

  /** Runs a shell command line. */
  RunResult runShell(String command, Duration timeout, OutputListener listener);

  /** Installs packages. */
  PackagesResult install(
      Installer manager, List<String> packages, Duration timeout, OutputListener listener);

  /** The first bytes of a file, so many at most. */
  byte[] read(String path, int limit);

  /** Writes a file and the directories on the way to it. */
  void write(String path, byte[] content, boolean append);

  /** What is in a directory, to a depth and a number of entries. */
  FileList list(String path, int depth, int limit);

  /** Copies that go on by themselves; whoever asked for them closes them. */
  List<Workspace> fork(int count);

  /** Goes on as one of its copies, which ends with that. */
  void merge(Workspace winner);

  /** Goes back by so many runs. */
  void rewind(int steps);

  /** Ends it. */
  @Override
  void close();
}
