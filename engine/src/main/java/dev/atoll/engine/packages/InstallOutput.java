package dev.atoll.engine.packages;

import dev.atoll.engine.guest.NetworkTrouble;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.InstalledPackage;
import dev.atoll.model.Installer;
import dev.atoll.model.PackageFailure;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunStatus;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads what a package manager prints, line by line, and tells what came of it. */
public final class InstallOutput {
  private static final int MAX_LINE = 64 << 10;
  private static final int MAX_SHOWN = 400;
  private static final int MAX_LOG = 20;
  private static final int MAX_INSTALLED = 4096;

  private final Installer manager;
  private final ManagerOutput reading;
  private final ByteArrayOutputStream[] pending = {
    new ByteArrayOutputStream(), new ByteArrayOutputStream()
  };
  private final Set<InstalledPackage> installed = new LinkedHashSet<>();
  private final Deque<String> log = new ArrayDeque<>();
  private @Nullable Finding finding;

  /** A sign that was seen, and the line that it was seen in. */
  private record Finding(int rank, Sign sign, @Nullable String name, String line) {}

  public InstallOutput(Installer manager) {
    this.manager = manager;
    this.reading = ManagerOutput.of(manager);
  }

  /** Takes what the manager has written. */
  public synchronized void add(boolean stderr, byte[] bytes) {
    ByteArrayOutputStream line = pending[stderr ? 1 : 0];
    for (byte b : bytes) {
      if (b == '\n' || b == '\r') {
        line(line.toString(StandardCharsets.UTF_8));
        line.reset();
      } else if (line.size() < MAX_LINE) {
        line.write(b);
      }
    }
  }

  private void line(String line) {
    if (line.isBlank()) {
      return;
    }
    if (log.size() == MAX_LOG) {
      log.removeFirst();
    }
    log.add(cut(line));
    for (InstalledPackage one : reading.installed(line)) {
      if (installed.size() < MAX_INSTALLED && length(one) <= MAX_SHOWN) {
        installed.add(one);
      }
    }
    List<Sign> signs = reading.signs();
    int better = finding == null ? signs.size() : finding.rank();
    for (int rank = 0; rank < better; rank++) {
      Sign.Seen seen = signs.get(rank).in(line);
      if (seen != null) {
        finding = new Finding(rank, signs.get(rank), seen.name(), cut(line.strip()));
        return;
      }
    }
  }

  private static int length(InstalledPackage one) {
    return one.name().length() + one.version().length();
  }

  /** About how many bytes such an event takes. */
  public static int size(RunEvent.Packages packages) {
    return packages.installed().stream().mapToInt(one -> 128 + length(one)).sum();
  }

  private static String cut(String line) {
    return line.length() > MAX_SHOWN ? line.substring(0, MAX_SHOWN) + "…" : line;
  }

  /**
   * What came of it.
   *
   * @param trouble what went wrong on the network meanwhile, of which managers say little
   */
  public synchronized RunEvent.Packages end(RunStatus status, @Nullable NetworkTrouble trouble) {
    for (ByteArrayOutputStream line : pending) {
      line(line.toString(StandardCharsets.UTF_8));
      line.reset();
    }
    PackageFailure failure = status == RunStatus.OK ? null : failure(status, trouble);
    return new RunEvent.Packages(manager, List.copyOf(installed), failure);
  }

  private PackageFailure failure(RunStatus status, @Nullable NetworkTrouble trouble) {
    Finding found = finding;
    if (status == RunStatus.DISK_LIMIT || (found != null && found.sign().isDisk())) {
      return failed(ErrorCode.DISK_LIMIT, null, "the sandbox has no room left for it");
    }
    if (status == RunStatus.TIMEOUT) {
      return failed(ErrorCode.TIMEOUT, null, "the installation took longer than it may");
    }
    if (status != RunStatus.ERROR) {
      String how = status.wire().replace('_', ' ');
      return failed(ErrorCode.PACKAGE_FAILED, null, "the installation ended: " + how);
    }
    if (trouble != null && (found == null || found.sign().mayBeTheNetwork())) {
      return failed(trouble.code(), found == null ? null : found.name(), trouble.message());
    }
    if (found == null) {
      String last = log.isEmpty() ? "it said nothing" : log.getLast().strip();
      return failed(ErrorCode.PACKAGE_FAILED, null, last);
    }
    return failed(found.sign().code(), found.name(), found.line());
  }

  private PackageFailure failed(ErrorCode code, @Nullable String name, String what) {
    String about = name == null ? manager.wire() : manager.wire() + ": " + name;
    return new PackageFailure(
        code, name, about + ": " + what, Advice.of(code, manager, what), List.copyOf(log));
  }
}
