package dev.atoll.driver.testkit;

import dev.atoll.protocol.wire.Stream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A program in a fake guest: those of {@link TestPrograms}, a few of every system, {@code fetch
 * host port text}, which sends a text over the network and prints what comes back, {@code listen
 * port}, see {@link FakeDial}, a {@code pip} that finds everything but what is called missing, and
 * a shell that runs such programs one after another, with nothing of a shell but {@code ;} and
 * {@code exit}.
 */
final class FakeProcess implements FakeJob {
  private static final Set<String> SHELLS = Set.of("sh", "bash");
  private static final Set<String> PROGRAMS =
      Set.of(
          "echo",
          "cat",
          "sleep",
          "true",
          "false",
          "yes",
          "env",
          "exit",
          "hostname",
          "counter",
          "ticker",
          "eat-memory",
          "eat-disk",
          "eat-processes",
          "now",
          "random",
          "fetch",
          "listen",
          "pip");
  private static final Duration TICK = Duration.ofMillis(50);
  private static final String MANY_LINES = "y\n".repeat(8192);
  private static final long MIB = 1L << 20;

  /** What is still to be run after the current program. */
  private final Deque<List<String>> script = new ArrayDeque<>();

  private final TreeMap<String, String> environment;
  private boolean inputEnded;
  private List<String> current = List.of("true");
  private String line = "";
  private int count;

  FakeProcess(List<String> argv, Map<String, String> environment, boolean withInput) {
    this.environment = new TreeMap<>(environment);
    this.inputEnded = !withInput;
    if (SHELLS.contains(name(argv)) && argv.getLast().startsWith("set -e")) {
      // A script of Atoll's own for a real system, in which there is nothing to do here.
      script.add(List.of("true"));
    } else if (SHELLS.contains(name(argv))) {
      for (String statement : argv.getLast().split("[;\n]", -1)) {
        if (!statement.isBlank()) {
          script.add(List.copyOf(Arrays.asList(statement.strip().split("\\s+"))));
        }
      }
    } else {
      script.add(List.copyOf(argv));
    }
  }

  static boolean knows(List<String> argv) {
    return PROGRAMS.contains(name(argv)) || SHELLS.contains(name(argv));
  }

  private static String name(List<String> argv) {
    String program = argv.getFirst();
    return program.substring(program.lastIndexOf('/') + 1);
  }

  @Override
  public void begin(FakeGuest guest, FakeChannel channel) {
    next(guest, channel, 0);
  }

  /** Goes on with the script; its last program's status is its own. */
  void next(FakeGuest guest, FakeChannel channel, int status) {
    List<String> argv = script.poll();
    if (argv == null) {
      guest.exit(channel, status);
      return;
    }
    current = argv;
    run(guest, channel);
  }

  private void run(FakeGuest guest, FakeChannel channel) {
    switch (name(current)) {
      case "echo" -> say(guest, channel, String.join(" ", current.subList(1, current.size())));
      case "env" -> env(guest, channel);
      case "hostname" -> say(guest, channel, guest.state().hostname);
      case "now" -> say(guest, channel, Long.toString(Instant.now().getEpochSecond()));
      case "random" -> say(guest, channel, UUID.randomUUID().toString());
      case "true" -> next(guest, channel, 0);
      case "false" -> next(guest, channel, 1);
      case "exit" -> guest.exit(channel, current.size() > 1 ? number(1) : 0);
      case "sleep" ->
          guest.sleep(
              channel, Duration.ofMillis((long) (Double.parseDouble(current.get(1)) * 1000)));
      case "ticker" -> awake(guest, channel);
      case "yes" -> writable(guest, channel);
      case "cat", "counter" -> read(guest, channel);
      case "listen" -> guest.print(channel, Stream.STDOUT, "listening\n");
      case "eat-memory" -> {
        if (guest.takeMemory(channel, number(1) * MIB)) {
          say(guest, channel, "ate");
        }
      }
      case "eat-disk" -> {
        if (guest.takeDisk(channel, current.get(2), number(1) * MIB)) {
          say(guest, channel, "written");
        }
      }
      case "eat-processes" -> eatProcesses(guest, channel);
      case "pip" -> pip(guest, channel);
      case "fetch" -> FakeFetch.start(guest, channel, current.subList(1, current.size()));
      default -> {
        guest.print(channel, Stream.STDERR, current.getFirst() + ": not found\n");
        next(guest, channel, 127);
      }
    }
  }

  private void pip(FakeGuest guest, FakeChannel channel) {
    List<String> names = current.subList(current.indexOf("--") + 1, current.size());
    if (current.get(1).equals("list")) {
      say(guest, channel, "demo==1.0");
    } else if (names.contains("missing")) {
      guest.print(
          channel,
          Stream.STDERR,
          "ERROR: Could not find a version that satisfies the requirement missing (from versions:"
              + " none)\n");
      next(guest, channel, 1);
    } else {
      say(guest, channel, "Successfully installed " + String.join("-1.0 ", names) + "-1.0");
    }
  }

  private int number(int argument) {
    return Integer.parseInt(current.get(argument));
  }

  /** The port that it listens on; 0 when it does not. */
  int port() {
    return name(current).equals("listen") ? number(1) : 0;
  }

  private void say(FakeGuest guest, FakeChannel channel, String text) {
    guest.print(channel, Stream.STDOUT, text + "\n");
    next(guest, channel, 0);
  }

  private void env(FakeGuest guest, FakeChannel channel) {
    environment.forEach((k, v) -> guest.print(channel, Stream.STDOUT, k + "=" + v + "\n"));
    next(guest, channel, 0);
  }

  private void eatProcesses(FakeGuest guest, FakeChannel channel) {
    int left = guest.processesLeft();
    for (int i = 1; i <= Math.min(left, number(1)); i++) {
      guest.print(channel, Stream.STDOUT, i + "\n");
    }
    if (left < number(1)) {
      guest.print(channel, Stream.STDERR, "cannot fork\n");
      next(guest, channel, 2);
    } else {
      say(guest, channel, "started");
    }
  }

  private void read(FakeGuest guest, FakeChannel channel) {
    if (name(current).equals("cat") && current.size() > 1) {
      catFile(guest, channel, current.get(1));
    } else if (inputEnded) {
      next(guest, channel, 0);
    }
  }

  private void catFile(FakeGuest guest, FakeChannel channel, String path) {
    try {
      guest.print(channel, Stream.STDOUT, guest.state().files.read(path).toStringUtf8());
      next(guest, channel, 0);
    } catch (FakeFiles.Refusal e) {
      guest.print(channel, Stream.STDERR, "cat: " + e.getMessage() + "\n");
      next(guest, channel, 1);
    }
  }

  @Override
  public void input(FakeGuest guest, FakeChannel channel, byte[] bytes) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    if (channel.exit != null) {
      return;
    }
    switch (name(current)) {
      case "cat" -> guest.print(channel, Stream.STDOUT, text);
      case "counter" -> {
        line += text;
        for (int end = line.indexOf('\n'); end >= 0; end = line.indexOf('\n')) {
          line = line.substring(end + 1);
          guest.print(channel, Stream.STDOUT, ++count + "\n");
        }
      }
      default -> {}
    }
  }

  @Override
  public void endOfInput(FakeGuest guest, FakeChannel channel) {
    inputEnded = true;
    if (channel.exit == null && (name(current).equals("cat") || name(current).equals("counter"))) {
      next(guest, channel, 0);
    }
  }

  @Override
  public void awake(FakeGuest guest, FakeChannel channel) {
    if (name(current).equals("ticker")) {
      guest.print(channel, Stream.STDOUT, ++count + "\n");
      guest.sleep(channel, TICK);
    } else {
      next(guest, channel, 0);
    }
  }

  @Override
  public void writable(FakeGuest guest, FakeChannel channel) {
    while (name(current).equals("yes") && channel.exit == null && !channel.full()) {
      guest.print(channel, Stream.STDOUT, MANY_LINES);
    }
  }
}
