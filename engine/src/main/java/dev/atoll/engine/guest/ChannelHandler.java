package dev.atoll.engine.guest;

import dev.atoll.protocol.wire.Frame;

/**
 * Takes what a guest sends on one channel. Called by the guest's reader, so it must never block.
 */
public interface ChannelHandler {

  /** The next frame of the channel, in order. */
  void frame(Frame frame);

  /** Whether a caller is waiting for what comes over this channel, as for a file. */
  default boolean isTransfer() {
    return false;
  }

  /** The guest is gone; no frame will follow. */
  void lost(String reason);
}
