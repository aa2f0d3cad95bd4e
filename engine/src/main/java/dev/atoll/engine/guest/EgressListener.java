package dev.atoll.engine.guest;

import dev.atoll.protocol.wire.Connect;
import dev.atoll.protocol.wire.Resolve;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Takes what programs in a guest want from the network. Called by the guest's reader, so it must
 * never block; the answers are sent from other threads, and end with {@link GuestChannel#finished}
 * unless the channel is open from then on.
 */
public interface EgressListener {

  /** Answers with Connected or Refused, sooner or later, and takes the channel's frames. */
  ChannelHandler connect(GuestChannel channel, Connect request);

  /** Answers with Resolved and forgets the channel. */
  ChannelHandler resolve(GuestChannel channel, Resolve request);

  /** What last went wrong since then; null for nothing. */
  default @Nullable NetworkTrouble troubleSince(Instant then) {
    return null;
  }
}
