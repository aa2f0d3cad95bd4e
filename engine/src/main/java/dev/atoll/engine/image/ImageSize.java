package dev.atoll.engine.image;

/**
 * How much room an image takes.
 *
 * @param totalBytes what a restore reads
 * @param ownBytes what deleting this image alone would free: its bytes that no other image refers
 *     to. Copies that {@link ImageStore#trim} may drop at any time are not counted.
 */
public record ImageSize(long totalBytes, long ownBytes) {
  public ImageSize {
    if (ownBytes < 0 || totalBytes < ownBytes) {
      throw new IllegalArgumentException("own " + ownBytes + " of total " + totalBytes);
    }
  }
}
