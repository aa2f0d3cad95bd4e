package dev.atoll.agents.tools;

import dev.atoll.model.ErrorBody;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.FileEntry;
import dev.atoll.model.FileKind;
import dev.atoll.model.FileList;
import dev.atoll.model.InstalledPackage;
import dev.atoll.model.Installer;
import dev.atoll.model.PackagesResult;
import dev.atoll.model.RunResult;
import dev.atoll.sdk.CallInterruptedException;
import dev.atoll.sdk.NotFoundException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A workspace in memory. Its language: {@code print TEXT}, {@code set NAME VALUE}, {@code get
 * NAME}, {@code raise NAME}, {@code write N} for N characters, {@code meet} to wait for another
 * {@code meet}, {@code hang} until interrupted.
 */
public final class FakeWorkspace implements Workspace {
  private final WorkspaceFacts facts;
  private final Map<String, byte[]> files = new ConcurrentSkipListMap<>();
  private final Map<String, String> variables = new ConcurrentSkipListMap<>();
  private final List<String> ran = new CopyOnWriteArrayList<>();
  private final List<FakeWorkspace> forks = new CopyOnWriteArrayList<>();
  private final CountDownLatch meeting = new CountDownLatch(2);
  private final CountDownLatch hanging = new CountDownLatch(1);
  private volatile boolean closed;

  public FakeWorkspace() {
    this(WorkspaceFacts.ofTemplate("python").withRewindable(10));
  }

  public FakeWorkspace(WorkspaceFacts facts) {
    this.facts = facts;
  }

  @Override
  public String id() {
    return "sbx_fake";
  }

  @Override
  public WorkspaceFacts facts() {
    return facts;
  }

  /** What was run, in order. */
  public List<String> ran() {
    return List.copyOf(ran);
  }

  /** All copies that were made of it. */
  public List<FakeWorkspace> forks() {
    return List.copyOf(forks);
  }

  public boolean closed() {
    return closed;
  }

  /** Waits until code hangs in it. */
  public void awaitHanging() throws InterruptedException {
    if (!hanging.await(30, TimeUnit.SECONDS)) {
      throw new AssertionError("nothing hangs");
    }
  }

  public String variable(String name) {
    return variables.getOrDefault(name, "");
  }

  @Override
  public RunResult runCode(
      String code, @Nullable String language, Duration timeout, OutputListener listener) {
    ran.add(code);
    String[] words = code.split(" ", 3);
    return switch (words[0]) {
      case "print" -> printed(code.substring("print ".length()) + "\n", listener);
      case "get" -> printed(variable(words[1]) + "\n", listener);
      case "write" -> printed("x".repeat(Integer.parseInt(words[1])), listener);
      case "raise" -> FakeRuns.failed(words[1], "it went wrong");
      case "meet" -> meet(listener);
      case "hang" -> hang();
      case "set" -> {
        variables.put(words[1], words[2]);
        yield FakeRuns.ok("");
      }
      default -> FakeRuns.failed("SyntaxError", "invalid syntax");
    };
  }

  private static RunResult printed(String text, OutputListener listener) {
    listener.output(OutputListener.Stream.STDOUT, text);
    return FakeRuns.ok(text);
  }

  private RunResult meet(OutputListener listener) {
    meeting.countDown();
    await(meeting, 30);
    return printed(meeting.getCount() == 0 ? "met\n" : "alone\n", listener);
  }

  private RunResult hang() {
    hanging.countDown();
    await(new CountDownLatch(1), 60);
    return FakeRuns.of(Map.of("status", "timeout", "durationMillis", 60_000));
  }

  private static void await(CountDownLatch latch, int seconds) {
    try {
      boolean unused = latch.await(seconds, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CallInterruptedException(e);
    }
  }

  @Override
  public RunResult runShell(String command, Duration timeout, OutputListener listener) {
    return runCode(command, "bash", timeout, listener);
  }

  @Override
  public PackagesResult install(
      Installer manager, List<String> packages, Duration timeout, OutputListener listener) {
    ran.add(manager.wire() + " install " + String.join(" ", packages));
    return new PackagesResult(
        "run_1",
        manager,
        packages.stream().map(name -> new InstalledPackage(name, "1.0")).toList(),
        5);
  }

  @Override
  public byte[] read(String path, int limit) {
    byte[] content = files.get(path);
    if (content == null) {
      throw new NotFoundException(
          new ErrorBody(
              ErrorCode.FILE_NOT_FOUND, "there is no file " + path, "list_files", "", Map.of()));
    }
    return Arrays.copyOf(content, Math.min(limit, content.length));
  }

  @Override
  public void write(String path, byte[] content, boolean append) {
    byte[] before = append ? files.getOrDefault(path, new byte[0]) : new byte[0];
    byte[] after = Arrays.copyOf(before, before.length + content.length);
    System.arraycopy(content, 0, after, before.length, content.length);
    files.put(path, after);
  }

  @Override
  public FileList list(String path, int depth, int limit) {
    List<FileEntry> entries = new ArrayList<>();
    files.forEach(
        (name, content) ->
            entries.add(
                new FileEntry(
                    name, FileKind.FILE, content.length, "0644", Instant.EPOCH, "sandbox", null)));
    return new FileList(entries, false);
  }

  @Override
  public List<Workspace> fork(int count) {
    List<Workspace> copies = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      FakeWorkspace copy = new FakeWorkspace(facts);
      copy.files.putAll(files);
      copy.variables.putAll(variables);
      forks.add(copy);
      copies.add(copy);
    }
    return copies;
  }

  @Override
  public void merge(Workspace winner) {
    FakeWorkspace other = (FakeWorkspace) winner;
    files.putAll(other.files);
    variables.putAll(other.variables);
    other.closed = true;
  }

  @Override
  public void rewind(int steps) {
    ran.add("rewind " + steps);
  }

  @Override
  public void close() {
    closed = true;
  }
}
