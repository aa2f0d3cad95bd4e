package dev.atoll.cli;

import picocli.CommandLine.Command;

/** Takes all URLs of a sandbox's files back. */
@Command(name = "revoke", description = "Make all URLs of a sandbox's files worthless.")
final class FilesRevokeCommand extends SandboxCommand {
  @Override
  public Integer call() {
    sandbox().files().revokeUrls();
    return ExitCode.OK;
  }
}
