package dev.atoll.cli;

/**
 * A command that the launcher script carries out itself. It is here so that help and completion
 * know it; the texts in {@code launcher/help} are made from this, and a test compares them.
 */
abstract class LauncherCommand extends AtollCommand {
  @Override
  public Integer call() {
    throw new UsageException("this belongs to the launcher, the script ./atoll in the checkout");
  }
}
