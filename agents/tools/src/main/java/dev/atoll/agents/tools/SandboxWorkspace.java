package dev.atoll.agents.tools;

import dev.atoll.model.FileList;
import dev.atoll.model.Installer;
import dev.atoll.model.PackagesResult;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import dev.atoll.sdk.RunStream;
import dev.atoll.sdk.Sandbox;
import dev.atoll.sdk.WriteOptions;
import dev.atoll.sdk.transport.HttpBody;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A workspace in a real sandbox. */
final class SandboxWorkspace implements Workspace {
  private final Sandbox sandbox;
  private volatile @Nullable WorkspaceFacts facts;

  SandboxWorkspace(Sandbox sandbox) {
    this.sandbox = sandbox;
  }

  private SandboxWorkspace(Sandbox sandbox, @Nullable WorkspaceFacts facts) {
    this.sandbox = sandbox;
    this.facts = facts;
  }

  @Override
  public String id() {
    return sandbox.id();
  }

  @Override
  public WorkspaceFacts facts() {
    WorkspaceFacts known = facts;
    if (known == null) {
      known = WorkspaceFacts.of(sandbox.info());
      facts = known;
    }
    return known;
  }

  @Override
  public RunResult runCode(
      String code, @Nullable String language, Duration timeout, OutputListener listener) {
    return sandbox.runCode(
        code,
        options -> {
          options.timeout(timeout).onEvent(events(listener));
          if (language != null) {
            options.language(language);
          }
        });
  }

  @Override
  public RunResult runShell(String command, Duration timeout, OutputListener listener) {
    return sandbox.shell(command, options -> options.timeout(timeout).onEvent(events(listener)));
  }

  @Override
  public PackagesResult install(
      Installer manager, List<String> packages, Duration timeout, OutputListener listener) {
    return sandbox
        .packages()
        .install(manager, packages, options -> options.timeout(timeout).onEvent(events(listener)));
  }

  private static Consumer<RunEvent> events(OutputListener listener) {
    return event -> {
      if (event instanceof RunEvent.Output output) {
        OutputListener.Stream stream =
            event instanceof RunEvent.Stdout
                ? OutputListener.Stream.STDOUT
                : OutputListener.Stream.STDERR;
        listener.output(stream, new String(RunStream.bytes(output), StandardCharsets.UTF_8));
      }
    };
  }

  @Override
  public byte[] read(String path, int limit) {
    try (InputStream in = sandbox.files().read(path)) {
      return in.readNBytes(limit);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void write(String path, byte[] content, boolean append) {
    sandbox
        .files()
        .write(path, HttpBody.of(content), append ? WriteOptions::append : options -> {});
  }

  @Override
  public FileList list(String path, int depth, int limit) {
    return sandbox.files().list(path, depth, limit);
  }

  @Override
  public List<Workspace> fork(int count) {
    return sandbox.fork(count).stream()
        .<Workspace>map(child -> new SandboxWorkspace(child, facts))
        .toList();
  }

  @Override
  public void merge(Workspace winner) {
    if (!(winner instanceof SandboxWorkspace other)) {
      throw new IllegalArgumentException("not a workspace in a sandbox: " + winner.id());
    }
    sandbox.merge(other.sandbox);
  }

  @Override
  public void rewind(int steps) {
    sandbox.rewind(steps);
  }

  @Override
  public void close() {
    sandbox.close();
  }
}
