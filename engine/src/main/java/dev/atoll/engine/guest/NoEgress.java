package dev.atoll.engine.guest;

import dev.atoll.model.AtollException;
import dev.atoll.protocol.wire.Connect;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Refused;
import dev.atoll.protocol.wire.Resolve;
import dev.atoll.protocol.wire.Resolved;

/** Refuses everything that a guest wants from the network, always for the same reason. */
final class NoEgress implements EgressListener {
  /** What comes on a channel that is being refused has no meaning any more. */
  private static final ChannelHandler DEAF =
      new ChannelHandler() {
        @Override
        public void frame(Frame frame) {}

        @Override
        public void lost(String reason) {}
      };

  private final Guest guest;
  private final Refused.Reason reason;
  private final String message;

  NoEgress(Guest guest, Refused.Reason reason, String message) {
    this.guest = guest;
    this.reason = reason;
    this.message = message;
  }

  @Override
  public ChannelHandler connect(GuestChannel channel, Connect request) {
    answer(
        channel,
        Frame.newBuilder().setRefused(Refused.newBuilder().setReason(reason).setMessage(message)));
    return DEAF;
  }

  @Override
  public ChannelHandler resolve(GuestChannel channel, Resolve request) {
    Resolved.Verdict verdict =
        reason == Refused.Reason.LIMIT ? Resolved.Verdict.FAILED : Resolved.Verdict.REFUSED;
    answer(channel, Frame.newBuilder().setResolved(Resolved.newBuilder().setVerdict(verdict)));
    return DEAF;
  }

  private void answer(GuestChannel channel, Frame.Builder answer) {
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                channel.send(answer);
              } catch (AtollException e) {
                // The guest is gone, and with it whoever wanted to know.
              } finally {
                guest.forget(channel);
              }
            });
  }
}
