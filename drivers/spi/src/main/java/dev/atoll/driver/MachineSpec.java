package dev.atoll.driver;

import java.nio.file.Path;
import java.util.Objects;

/**
 * What a machine is made of.
 *
 * @param id unique on this host; letters, digits, {@code _} and {@code -}
 * @param directory exists, is empty and belongs to this machine alone
 * @param rootfs root file system, never written to
 */
public record MachineSpec(String id, Path directory, Path rootfs, MachineLimits limits) {
  public MachineSpec {
    Objects.requireNonNull(directory);
    Objects.requireNonNull(rootfs);
    Objects.requireNonNull(limits);
    if (!id.matches("[a-zA-Z0-9_-]{1,64}")) {
      throw new IllegalArgumentException("machine id " + id);
    }
  }
}
