package dev.atoll.model;

/**
 * A change to a port.
 *
 * @param access who may reach it from now on
 */
public record PortRequest(PortAccess access) {
  public PortRequest {
    Check.that(access != null, "access", "must be given");
  }
}
