package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.AtollException;
import dev.atoll.model.SandboxInfo;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A client that does one thing after another with a sandbox of its own and with others, and
 * remembers what it was told is done.
 */
final class SoakClient {
  private static final String FILE = "/home/sandbox/note";

  /** What the servers have acknowledged to all clients. */
  static final class Ledger {
    /** Snapshots, with what the variable was then. */
    final Map<String, Long> snapshots = new ConcurrentHashMap<>();

    final AtomicLong operations = new AtomicLong();
    final AtomicLong brokenOff = new AtomicLong();
  }

  private final String name;
  private final String pool;
  private final Ledger ledger;

  /** The variable as it was acknowledged; absent while a step that sets it back is under way. */
  private volatile @Nullable Long variable;

  private volatile boolean opened;
  private volatile @Nullable String written;
  private volatile @Nullable String writing;

  SoakClient(String name, String pool, Ledger ledger) {
    this.name = name;
    this.pool = pool;
    this.ledger = ledger;
  }

  String name() {
    return name;
  }

  /** Whether the sandbox of its own was acknowledged. */
  boolean hasOwn() {
    return opened;
  }

  /** Works until the server is gone. */
  void work(Atoll atoll, Random choices) throws Exception {
    try (ServiceCaller services = new ServiceCaller(atoll)) {
      Sandbox own = atoll.spaces().openOrCreate(name, s -> s.persistent().checkpointEveryRun(3));
      opened = true;
      own.runCode("n = globals().get('n', 0)");
      variable = value(own);
      while (true) {
        step(atoll, services, own, choices);
        ledger.operations.incrementAndGet();
      }
    } catch (AtollException | IOException e) {
      // The server is gone, or was about to be.
      ledger.brokenOff.incrementAndGet();
    }
  }

  private void step(Atoll atoll, ServiceCaller services, Sandbox own, Random choices)
      throws Exception {
    switch (choices.nextInt(10)) {
      case 0 -> {
        long value = count(own);
        ledger.snapshots.put(own.snapshot().id(), value);
      }
      case 1 -> {
        long value = count(own);
        for (Sandbox child : own.fork(2)) {
          assertThat(value(child)).isEqualTo(value);
          child.terminate();
        }
      }
      case 2 -> merge(own);
      case 3 -> own.hibernate();
      case 4 -> count(own);
      case 5 -> rewind(own);
      case 6 -> write(own, Long.toHexString(choices.nextLong()).repeat(1 + choices.nextInt(4096)));
      case 7 -> {
        try (Sandbox fresh = atoll.sandboxes().create()) {
          assertThat(fresh.runCode("6 * 7").text()).hasValue("42");
        }
      }
      case 8 -> {
        // While it comes back with the server it is not there: that is no wrong answer.
        var answer = services.get("/");
        assertThat(answer.statusCode() == 200 ? answer.body() : "at sea").isEqualTo("at sea");
      }
      default -> {
        Sandbox claimed = atoll.pools().claim(pool);
        assertThat(claimed.runCode("6 * 7").text()).hasValue("42");
        claimed.terminate();
      }
    }
  }

  private void merge(Sandbox own) {
    Sandbox child = own.fork();
    long before = value(child);
    variable = null;
    child.runCode("n += 1");
    own.mergeAndDestroyOthers(child);
    assertThat(value(own)).isEqualTo(before + 1);
    variable = before + 1;
  }

  private void rewind(Sandbox own) {
    long before = count(own);
    variable = null;
    // What is written after the last run goes with it.
    written = null;
    writing = null;
    own.runCode("n += 100");
    own.rewind(1);
    assertThat(value(own)).isEqualTo(before);
    variable = before;
  }

  private void write(Sandbox own, String text) {
    writing = text;
    own.files().write(FILE, text.getBytes(StandardCharsets.UTF_8));
    written = text;
    writing = null;
  }

  private long count(Sandbox sandbox) {
    long value = Long.parseLong(sandbox.runCode("n += 1; n").text().orElseThrow());
    variable = value;
    return value;
  }

  static long value(Sandbox sandbox) {
    return Long.parseLong(sandbox.runCode("n").text().orElseThrow());
  }

  /** What was acknowledged is there; what was under way is there wholly or not at all. */
  void verify(Atoll atoll, SandboxInfo info) {
    Sandbox own = atoll.sandboxes().handle(info.id());
    Long known = variable;
    if (known != null) {
      // A run that was broken off may have counted.
      assertThat(value(own)).as("n of " + info).isBetween(known, known + 1);
    }
    String text = written;
    if (text != null) {
      assertThat(own.files().readText(FILE))
          .as("the file of " + info)
          .isIn(text, writing == null ? text : writing);
    }
  }
}
