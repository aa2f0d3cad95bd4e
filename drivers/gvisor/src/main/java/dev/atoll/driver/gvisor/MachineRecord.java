package dev.atoll.driver.gvisor;

import dev.atoll.driver.MachineLimits;
import dev.atoll.model.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * What a new server process must know to take a machine over; {@code machine.json}.
 *
 * @param rootfs as in the machine's specification
 * @param platform the one that it was started on
 * @param version of the runsc that started it, which only the same one can restore
 * @param uidBase the first of its user ids; null for a machine of an older server, which ran as
 *     root of the host
 */
record MachineRecord(
    String id,
    Path rootfs,
    Platform platform,
    MachineLimits limits,
    String version,
    @Nullable Integer uidBase) {
  MachineRecord {
    Objects.requireNonNull(id);
    Objects.requireNonNull(rootfs);
    Objects.requireNonNull(platform);
    Objects.requireNonNull(limits);
    Objects.requireNonNull(version);
  }

  /** Empty for a machine of an older server. */
  Optional<World> world() {
    return Optional.ofNullable(uidBase).map(World::new);
  }

  /** Not synced to disk: after a crash of the host there is no machine to take over. */
  void write(MachineDirectory directory) throws IOException {
    Files.write(directory.record(), Json.strict().writeValueAsBytes(this));
  }

  /** Empty when no machine was started in that directory, or when its start was cut short. */
  static Optional<MachineRecord> read(Path file) throws IOException {
    try {
      return Optional.of(Json.lenient().readValue(Files.readAllBytes(file), MachineRecord.class));
    } catch (NoSuchFileException | JacksonException e) {
      return Optional.empty();
    }
  }
}
