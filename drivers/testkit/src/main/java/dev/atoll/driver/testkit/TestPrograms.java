package dev.atoll.driver.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The programs that {@link DriverContractTest} runs in a guest. A real guest gets them as shell
 * scripts; {@link FakeDriver}'s guest has them built in.
 */
public final class TestPrograms {

  /** Name and text of each; they need a POSIX shell with sleep, dd, date and od. */
  static final Map<String, String> SCRIPTS =
      Map.of(
          // Answers each line with the number of lines so far.
          "counter", "n=0; while read line; do n=$((n+1)); echo $n; done",
          // Counts aloud for ever.
          "ticker", "n=0; while :; do n=$((n+1)); echo $n; sleep 0.05; done",
          // Holds so many MiB of memory at once.
          "eat-memory", "dd if=/dev/zero of=/dev/null bs=${1}M count=1 2>/dev/null && echo ate",
          // Writes so many MiB to a file.
          "eat-disk", "dd if=/dev/zero of=$2 bs=1M count=$1 2>/dev/null && echo written",
          // Starts so many processes that all stay.
          "eat-processes",
              "i=0; while [ $i -lt $1 ]; do sleep 60 & i=$((i+1)); echo $i; done; echo started",
          "now", "date +%s",
          "random", "od -An -N16 -tx1 /dev/urandom");

  private TestPrograms() {}

  /** Writes them into a folder of a root file system that is on its PATH. */
  public static void install(Path folder) throws IOException {
    for (Map.Entry<String, String> script : SCRIPTS.entrySet()) {
      Path file = folder.resolve(script.getKey());
      Files.writeString(file, "#!/bin/sh\n" + script.getValue() + "\n");
      if (!file.toFile().setExecutable(true, false)) {
        throw new IOException("cannot make " + file + " executable");
      }
    }
  }
}
