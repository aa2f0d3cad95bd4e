package dev.atoll.cli;

import dev.atoll.model.SandboxInfo;
import picocli.CommandLine.Command;

/** Puts a sandbox to disk. */
@Command(
    name = "hibernate",
    description = "Write a sandbox's memory to disk and free it; its next use wakes it.")
final class HibernateCommand extends SandboxCommand {
  @Override
  public Integer call() {
    SandboxInfo info = sandbox().hibernate();
    if (json()) {
      stdio().json(info);
    }
    return ExitCode.OK;
  }
}
