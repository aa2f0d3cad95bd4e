package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/**
 * A port of a sandbox.
 *
 * @param listening whether a program listens on it now
 * @param loopback whether that program listens on a loopback address alone, which makes no
 *     difference to who reaches it from outside
 * @param pid the program's process, if known
 * @param program the program's name, if known
 * @param url where a browser finds it
 */
public record PortInfo(
    int port,
    boolean listening,
    boolean loopback,
    @Nullable Integer pid,
    @Nullable String program,
    PortAccess access,
    @Nullable String url) {
  public PortInfo {
    Check.port("port", port);
  }

  /** The same port with its address. */
  public PortInfo withUrl(String newUrl) {
    return new PortInfo(port, listening, loopback, pid, program, access, newUrl);
  }
}
