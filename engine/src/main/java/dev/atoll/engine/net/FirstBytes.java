package dev.atoll.engine.net;

import java.io.ByteArrayOutputStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Holds back what a program sends first until it is clear that it speaks to the host it asked for.
 * A program that asked for a name must name the same host in TLS; on port 443 it must speak TLS.
 * One that asked for an address must not name a host that is denied.
 */
final class FirstBytes {
  private static final int HTTPS = 443;

  private final Target target;
  private final PolicyCheck policy;
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private @Nullable String trouble;

  FirstBytes(Target target, PolicyCheck policy) {
    this.target = target;
    this.policy = policy;
  }

  /**
   * Takes more bytes. Gives all bytes so far when they may pass, and null while that is not known
   * or when they may not, see {@link #trouble}.
   */
  byte @Nullable [] offer(byte[] more) {
    kept.write(more, 0, Math.min(more.length, ClientHello.MAX_BYTES));
    byte[] bytes = kept.toByteArray();
    ClientHello.Reading reading =
        ClientHello.read(bytes, Math.min(bytes.length, ClientHello.MAX_BYTES));
    switch (reading) {
      case ClientHello.Reading.Incomplete _ -> {
        return null;
      }
      case ClientHello.Reading.NotTls _ ->
          trouble =
              target.isName() && target.port() == HTTPS ? "no TLS was spoken on port 443" : null;
      case ClientHello.Reading.Nameless nameless ->
          trouble = target.isName() ? nameless.why() : null;
      case ClientHello.Reading.Named named -> check(named.name());
    }
    if (trouble != null) {
      return null;
    }
    if (more.length > ClientHello.MAX_BYTES) {
      kept.write(more, ClientHello.MAX_BYTES, more.length - ClientHello.MAX_BYTES);
    }
    return kept.toByteArray();
  }

  /** No more will come while it was not clear yet. Gives what may pass, as {@link #offer}. */
  byte @Nullable [] end() {
    if (kept.size() > 0 && target.isName()) {
      trouble = "the ClientHello is not complete";
      return null;
    }
    return kept.toByteArray();
  }

  private void check(String name) {
    if (target.isName()) {
      trouble =
          name.equals(target.host())
              ? null
              : "TLS names " + Target.printable(name) + " instead of " + target.host();
      return;
    }
    Optional<dev.atoll.model.NetworkRule> denying = policy.denying(name, target.port());
    trouble =
        denying
            .map(rule -> "TLS names " + Target.printable(name) + ", denied by the rule " + rule)
            .orElse(null);
  }

  /** Why the bytes may not pass; null when they may, or while it is not clear. */
  @Nullable String trouble() {
    return trouble;
  }
}
