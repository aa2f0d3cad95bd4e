package dev.atoll.examples;

import dev.atoll.model.NetworkMode;
import dev.atoll.model.RunResult;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.time.Duration;

/**
 * What an untrusted prompt deserves: no network, a short life, little memory. What the code tried
 * is on record all the same.
 */
final class LockedDownNetwork {
  private static final String CODE =
      """
      import urllib.request
      try:
          urllib.request.urlopen("http://example.com", timeout=5)
          print("reached")
      except OSError as e:
          print("refused")
      """;

  private LockedDownNetwork() {}

  static String attempt(Atoll atoll) {
    try (Sandbox sandbox =
        atoll
            .sandboxes()
            .create(
                s ->
                    s.network(NetworkMode.NONE)
                        .memoryMiB(256)
                        .ttl(Duration.ofMinutes(5))
                        .idleTimeout(Duration.ofMinutes(1)))) {
      RunResult result = sandbox.runCode(CODE);
      return result.stdout().strip();
    }
  }

  public static void main(String[] args) {
    System.out.println(attempt(Atoll.connect()));
  }
}
