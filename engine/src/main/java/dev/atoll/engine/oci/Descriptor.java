package dev.atoll.engine.oci;

import org.jspecify.annotations.Nullable;

/**
 * What a manifest or an index says of something that it refers to.
 *
 * @param size in bytes, not negative
 */
record Descriptor(String mediaType, Digest digest, long size) {

  /** As it is written. */
  record Said(
      @Nullable String mediaType,
      @Nullable String digest,
      @Nullable Long size,
      @Nullable Platform platform) {}

  /** The kind of machine that an entry of an index is for. */
  record Platform(@Nullable String os, @Nullable String architecture, @Nullable String variant) {

    /** Whether it is what machines of this server are. */
    boolean fits() {
      boolean plain = variant == null || variant.isEmpty() || variant.equals("v1");
      return "linux".equals(os) && "amd64".equals(architecture) && plain;
    }
  }

  /** Takes what was written if it has the form of a descriptor. */
  static Descriptor of(@Nullable Said said, String what) throws ImageRefused {
    if (said == null || said.size() == null || said.size() < 0) {
      throw new ImageRefused(
          ImageRefused.Reason.INVALID_MANIFEST, "the manifest does not say the size of " + what);
    }
    return new Descriptor(
        String.valueOf(said.mediaType()), Digest.parse(said.digest()), said.size());
  }
}
