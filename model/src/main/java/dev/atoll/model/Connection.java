package dev.atoll.model;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One thing that a sandbox wanted from the network, and what became of it; or one use of a signed
 * URL of its files.
 *
 * @param name the host as it was asked for, a name or an address; of a signed URL the file's path
 * @param address the address that was dialled; null when none was; of a signed URL who used it
 * @param port 0 for a question about a name, and for a signed URL
 * @param rule what decided, such as {@code packages}, {@code allow example.com} or {@code deny *}
 * @param reason why it was refused, failed or ended early; null when there is nothing to say
 * @param bytesSent from the sandbox
 * @param bytesReceived by the sandbox
 * @param durationMillis null while it is open
 * @param secrets names of the secrets that its requests were given; null when there were none
 */
public record Connection(
    String id,
    Instant time,
    String sandbox,
    String project,
    String name,
    @Nullable String address,
    int port,
    ConnectionWay way,
    ConnectionVerdict verdict,
    String rule,
    @Nullable String reason,
    long bytesSent,
    long bytesReceived,
    @Nullable Long durationMillis,
    @Nullable List<String> secrets) {
  public Connection {
    Objects.requireNonNull(id);
    Objects.requireNonNull(time);
    Objects.requireNonNull(sandbox);
    Objects.requireNonNull(project);
    Objects.requireNonNull(name);
    Objects.requireNonNull(way);
    Objects.requireNonNull(verdict);
    Objects.requireNonNull(rule);
    secrets = secrets == null || secrets.isEmpty() ? null : List.copyOf(secrets);
  }
}
