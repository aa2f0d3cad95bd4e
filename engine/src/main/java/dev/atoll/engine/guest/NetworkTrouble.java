package dev.atoll.engine.guest;

import dev.atoll.model.ErrorCode;
import java.time.Instant;
import java.util.Objects;

/** Why something did not come over the network, for those who only see that it did not. */
public record NetworkTrouble(Instant at, ErrorCode code, String message) {
  public NetworkTrouble {
    Objects.requireNonNull(at);
    Objects.requireNonNull(code);
    Objects.requireNonNull(message);
  }
}
