package dev.atoll.engine.net;

import dev.atoll.engine.guest.ChannelHandler;
import dev.atoll.engine.guest.GuestChannel;
import dev.atoll.model.AtollException;
import dev.atoll.model.ConnectionVerdict;
import dev.atoll.model.ConnectionWay;
import dev.atoll.model.ErrorCode;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Resolved;

/**
 * A program's question for a name. The answer says only whether the name may be reached and exists;
 * addresses stay on the host. On record are refusals, and names that the sandbox had not asked for.
 */
final class NameQuestion implements ChannelHandler {
  private final Egress egress;
  private final GuestChannel channel;
  private final String name;

  NameQuestion(Egress egress, GuestChannel channel, String name) {
    this.egress = egress;
    this.channel = channel;
    this.name = Target.bounded(name);
  }

  @Override
  public void frame(Frame frame) {}

  @Override
  public void lost(String reason) {}

  void run() {
    try {
      Resolved.Builder answer = Resolved.newBuilder().setVerdict(answer());
      channel.send(Frame.newBuilder().setResolved(answer));
    } catch (AtollException e) {
      // The guest is gone, and with it whoever wanted to know.
    } finally {
      channel.finished();
    }
  }

  private Resolved.Verdict answer() {
    ConnectionEntry entry = egress.entry(name, 0, ConnectionWay.DNS);
    boolean known = egress.names().isKnown(name);
    try {
      Target asked = Target.parse(name, 0);
      Admission admission = new Admission(egress, asked);
      Decision decision = admission.decide();
      if (egress.inside(asked) != null) {
        return Resolved.Verdict.KNOWN;
      }
      entry.rule(admission.admit(decision).rule());
      if (!known) {
        egress.record(entry.toConnection(Ending.complete(), false));
      }
      return Resolved.Verdict.KNOWN;
    } catch (Refusal e) {
      entry.detail(e.line());
      boolean refused = e.verdict() == ConnectionVerdict.REFUSED;
      if (refused) {
        egress.trouble(ErrorCode.REGISTRY_REFUSED, e.line());
      }
      if (!known || refused) {
        egress.record(entry.toConnection(Ending.of(e), false));
      }
      return switch (e.reason()) {
        case POLICY -> Resolved.Verdict.REFUSED;
        case NOT_FOUND -> Resolved.Verdict.UNKNOWN;
        default -> Resolved.Verdict.FAILED;
      };
    } catch (AtollException e) {
      return Resolved.Verdict.UNKNOWN;
    }
  }
}
