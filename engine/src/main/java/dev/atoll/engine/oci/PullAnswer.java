package dev.atoll.engine.oci;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A line that {@link PullProgram} prints; it has one of these.
 *
 * @param progress what is being done
 * @param image what was found, and fetched if that was asked for
 * @param error why it is not to be had
 */
record PullAnswer(@Nullable String progress, @Nullable Image image, @Nullable String error) {

  /**
   * An image for this kind of machine.
   *
   * @param digest of its manifest
   * @param config its configuration, as JSON
   * @param layers digests, the lowest first; each is a file of that name in the folder
   */
  record Image(String digest, String config, List<String> layers) {
    Image {
      layers = List.copyOf(layers);
    }
  }
}
