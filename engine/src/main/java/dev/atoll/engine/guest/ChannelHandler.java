package dev.atoll.engine.guest;

import dev.atoll.protocol.wire.Frame;

/**
 * Takes what a guest sends on one channel. Called by the guest's reader, so it must never block.
 */
public interface ChannelHandler {

  /** The next frame of the channel, in order. */
  void frame(Frame frame);

  /** The guest is gone; no frame will follow. */
  void lost(String reason);
}
