package dev.atoll.engine.oci;

import org.jspecify.annotations.Nullable;

/**
 * A line that {@link PullProgram} prints; it has one of progress, image and error.
 *
 * @param progress what is being done
 * @param image what was found, and fetched if that was asked for
 * @param error why it is not to be had
 * @param reason goes with an error: what is wrong with what the registry sent; null when it sent
 *     nothing
 */
record PullAnswer(
    @Nullable String progress,
    @Nullable Image image,
    @Nullable String error,
    @Nullable String reason) {

  /**
   * An image for this kind of machine.
   *
   * @param digest that its manifest was found to have
   * @param config its configuration, as JSON
   * @param layers how many there are; each is a file in the folder, see {@link
   *     PullProgram#fileName}
   */
  record Image(String digest, String config, int layers) {}
}
