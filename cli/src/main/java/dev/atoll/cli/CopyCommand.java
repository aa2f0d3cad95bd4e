package dev.atoll.cli;

import dev.atoll.model.FileKind;
import dev.atoll.sdk.NotFoundException;
import dev.atoll.sdk.SandboxFiles;
import dev.atoll.sdk.SandboxNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Copies files and directories into a sandbox and out of it. */
@Command(
    name = "cp",
    description = {
      "Copy files and directories into a sandbox or out of it.",
      "One side is SANDBOX:PATH; - is standard input or output. What is copied into a directory"
          + " that exists keeps its name."
    })
final class CopyCommand extends AtollCommand {
  @Parameters(index = "0", paramLabel = "SOURCE", description = "What to copy.")
  String source = "";

  @Parameters(index = "1", paramLabel = "TARGET", description = "Where to.")
  String target = "";

  @Override
  public Integer call() {
    Place from = Place.of(source);
    Place to = Place.of(target);
    if (from instanceof Place.Remote remote && !(to instanceof Place.Remote)) {
      download(remote, to);
    } else if (to instanceof Place.Remote remote && !(from instanceof Place.Remote)) {
      upload(from, remote);
    } else {
      throw new UsageException("exactly one of the two must be SANDBOX:PATH");
    }
    return ExitCode.OK;
  }

  private void upload(Place from, Place.Remote to) {
    SandboxFiles files = files(to);
    if (!(from instanceof Place.Local local)) {
      files.write(to.path(), stdio().in());
      return;
    }
    Path path = local.path();
    if (!Files.exists(path)) {
      throw new UsageException("no such file: " + path);
    }
    String name = path.toAbsolutePath().normalize().getFileName().toString();
    String target = isDirectory(files, to) ? to.child(name) : to.path();
    if (Files.isDirectory(path)) {
      files.uploadDirectory(path, target);
    } else {
      files.upload(path, target);
    }
  }

  private void download(Place.Remote from, Place to) {
    SandboxFiles files = files(from);
    if (!(to instanceof Place.Local local)) {
      print(files, from);
      return;
    }
    String name = from.name();
    boolean named = !name.isEmpty() && !name.equals(".") && !name.equals("..");
    Path target =
        Files.isDirectory(local.path()) && named ? local.path().resolve(name) : local.path();
    if (files.stat(from.path()).kind() != FileKind.DIRECTORY) {
      files.download(from.path(), target);
      return;
    }
    int leftOut = files.downloadDirectory(from.path(), target);
    if (leftOut > 0) {
      stdio().message(leftOut + " links or special files left out");
    }
  }

  private void print(SandboxFiles files, Place.Remote from) {
    try (InputStream in = files.read(from.path())) {
      in.transferTo(stdio().out());
      stdio().out().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isDirectory(SandboxFiles files, Place.Remote place) {
    try {
      return place.path().endsWith("/") || files.stat(place.path()).kind() == FileKind.DIRECTORY;
    } catch (SandboxNotFoundException e) {
      throw e;
    } catch (NotFoundException e) {
      return false;
    }
  }

  private SandboxFiles files(Place.Remote place) {
    return atoll().sandboxes().handle(place.sandbox()).files();
  }
}
