package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;

/** What a project may have only so much of. */
public enum QuotaName {
  /** Sandboxes that have not ended, hibernated ones too. */
  SANDBOXES("sandboxes"),
  /** Memory, in MiB, that machines which run may use. */
  MEMORY("memory"),
  /** CPUs that machines which run may use. */
  CPUS("cpus"),
  /** Disk, in MiB, of sandboxes, snapshots, templates and imported root file systems. */
  DISK("disk"),
  /** Warm pools. */
  POOLS("pools"),
  /** Sandboxes that all warm pools together keep ready. */
  WARM("warm"),
  /** Services. */
  SERVICES("services"),
  /** Requests to the API per second. */
  REQUESTS_PER_SECOND("requests-per-second");

  private final String wire;

  QuotaName(String wire) {
    this.wire = wire;
  }

  /** The quota of that wire name. */
  @JsonCreator
  public static QuotaName of(String wire) {
    return Arrays.stream(values())
        .filter(name -> name.wire.equals(wire))
        .findFirst()
        .orElseThrow(
            () ->
                new AtollException(ErrorCode.INVALID_ARGUMENT, "there is no quota named " + wire));
  }

  /** The name on the wire, such as {@code requests-per-second}. */
  @JsonValue
  public String wire() {
    return wire;
  }
}
