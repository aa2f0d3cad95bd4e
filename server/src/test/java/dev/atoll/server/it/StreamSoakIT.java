package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.atoll.model.Json;
import dev.atoll.model.ProcessInfo;
import dev.atoll.model.RunEvent;
import dev.atoll.sdk.RemoteProcess;
import dev.atoll.sdk.RunStream;
import dev.atoll.sdk.Sandbox;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Much goes out of a sandbox to readers who do not read at once, and comes whole, through a server
 * with far less memory than that. And what runs for somebody ends with him.
 *
 * <p>{@code ATOLL_SOAK_STREAM_MIB} says how much goes each way.
 */
class StreamSoakIT {
  private static final int MIB = mebibytes();

  /** Code and commands have a limit of a gibibyte. */
  private static final int LIMITED_MIB = Math.min(MIB, 1000);

  private static final Duration LONG = Duration.ofMinutes(5);

  /** Random bytes, and what they come to on standard error. */
  private static final String SOURCE =
      """
      import hashlib, os, sys
      digest, block = hashlib.sha256(), os.urandom(1 << 20)
      for i in range(int(sys.argv[1])):
          piece = i.to_bytes(8, "big") + block[8:]
          digest.update(piece)
          sys.stdout.buffer.write(piece)
      sys.stdout.flush()
      sys.stderr.write(digest.hexdigest())
      """;

  private static RealServer server;
  private static Sandbox sandbox;

  @TempDir private Path folder;

  private static int mebibytes() {
    String text = System.getenv("ATOLL_SOAK_STREAM_MIB");
    return text == null ? 48 : Integer.parseInt(text);
  }

  @BeforeAll
  static void start() throws Exception {
    server = new RealServer();
    // A copy of all of it is a file for a while.
    sandbox = server.atoll().sandboxes().create(s -> s.memoryMiB(512).diskMiB(1024 + 2 * MIB));
    sandbox.files().write("source.py", SOURCE);
  }

  @AfterAll
  static void stop() throws IOException {
    if (sandbox != null) {
      sandbox.close();
    }
    if (server != null) {
      server.close();
    }
  }

  private static List<String> source() {
    return List.of("python3", "source.py", Integer.toString(MIB));
  }

  /** What came, and what it should be. */
  private static final class Arrived {
    private final MessageDigest digest;
    private final StringBuilder promised = new StringBuilder();
    private long bytes;
    private long cut;
    private int exitCode = -1;

    Arrived() throws Exception {
      digest = MessageDigest.getInstance("SHA-256");
    }

    void take(RunEvent event) {
      switch (event) {
        case RunEvent.Stdout out -> take(RunStream.bytes(out));
        case RunEvent.Stderr err ->
            promised.append(new String(RunStream.bytes(err), StandardCharsets.UTF_8));
        case RunEvent.Cut gap -> cut += gap.bytes();
        case RunEvent.End end -> exitCode = end.exitCode();
        default -> {}
      }
    }

    void take(byte[] more) {
      digest.update(more);
      bytes += more.length;
    }

    void assertWhole(int mebibytes) {
      assertThat(cut).isZero();
      assertThat(bytes).isEqualTo((long) mebibytes << 20);
      assertThat(HexFormat.of().formatHex(digest.digest())).isEqualTo(promised.toString());
      assertThat(exitCode).isZero();
    }
  }

  @Test
  void aProcessWaitsForTheReaderItIsTiedTo() throws Exception {
    RemoteProcess process =
        sandbox.start(
            source(), c -> c.reconnect(Duration.ofMinutes(2)).timeout(LONG.multipliedBy(9)));
    awaitStandstill(process);
    Arrived arrived = new Arrived();
    try (RunStream events = process.events()) {
      events.forEach(arrived::take);
    }
    arrived.assertWhole(MIB);
    process.remove();
  }

  /** It has written what fits, and no more although time goes by. */
  private static void awaitStandstill(RemoteProcess process) {
    long[] before = {-1};
    await()
        .atMost(LONG)
        .pollInterval(Duration.ofSeconds(2))
        .until(
            () -> {
              ProcessInfo info = process.info();
              assertThat(info.running()).isTrue();
              boolean still = info.outputBytes() > 0 && info.outputBytes() == before[0];
              before[0] = info.outputBytes();
              return still;
            });
    assertThat(before[0]).isLessThan(2 << 20);
  }

  @Test
  void aStreamOfTheSdkIsWhole() throws Exception {
    Arrived arrived = new Arrived();
    try (RunStream events =
        sandbox.streamCode(
            "import subprocess; subprocess.run(['python3', 'source.py', '%d'], check=True)"
                .formatted(LIMITED_MIB),
            c -> c.maxOutputBytes(1L << 30).timeout(LONG.multipliedBy(9)))) {
      events.forEach(arrived::take);
    }
    arrived.assertWhole(LIMITED_MIB);
  }

  @Test
  void aPlainStreamIsWhole() throws Exception {
    String body =
        "{\"shell\":\"python3 source.py %d\",\"maxOutputBytes\":1073741824,\"timeoutSeconds\":2700}"
            .formatted(LIMITED_MIB);
    Arrived arrived = new Arrived();
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<InputStream> answer =
          client.send(
              request("/commands", body).header("Accept", "application/x-ndjson").build(),
              HttpResponse.BodyHandlers.ofInputStream());
      try (BufferedReader lines =
          new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          arrived.take(Json.lenient().readValue(line, RunEvent.class));
        }
      }
    }
    arrived.assertWhole(LIMITED_MIB);
  }

  private static HttpRequest.Builder request(String operation, String body) {
    URI address =
        URI.create(server.atoll().endpoint().url() + "/v1/sandboxes/" + sandbox.id() + operation);
    return HttpRequest.newBuilder(address)
        .version(HttpClient.Version.HTTP_1_1)
        .header("Authorization", "Bearer " + server.atoll().endpoint().apiKey())
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body));
  }

  @Test
  void whatExecPrintsToASlowReaderIsWhole() throws Exception {
    Path promised = folder.resolve("promised");
    Process exec =
        cli(promised, "exec", "-n", sandbox.id(), "--", "python3", "source.py", "" + MIB);
    RemoteProcess inside = awaitProcess("source.py");
    awaitHeld(inside);
    Arrived arrived = new Arrived();
    try (InputStream out = exec.getInputStream()) {
      byte[] buffer = new byte[1 << 16];
      for (int count = out.read(buffer); count >= 0; count = out.read(buffer)) {
        arrived.take(Arrays.copyOf(buffer, count));
      }
    }
    assertThat(exec.waitFor(5, TimeUnit.MINUTES)).isTrue();
    arrived.promised.append(Files.readString(promised));
    arrived.exitCode = exec.exitValue();
    arrived.assertWhole(MIB);
  }

  /** What lies between the two is full. */
  private static void awaitHeld(RemoteProcess process) {
    long[] before = {-1};
    await()
        .atMost(LONG)
        .pollInterval(Duration.ofSeconds(3))
        .until(
            () -> {
              long now = process.info().outputBytes();
              boolean still = now > 0 && now == before[0];
              before[0] = now;
              return still;
            });
    assertThat(before[0]).isLessThan((long) MIB << 20);
  }

  @Test
  void aFileComesOutWhole() throws Exception {
    String promised =
        sandbox
            .shell("python3 source.py " + MIB + " 2>&1 >big", c -> c.timeout(LONG.multipliedBy(9)))
            .stdout();
    Path target = folder.resolve("big");
    Process copy = cli(folder.resolve("said"), "cp", sandbox.id() + ":big", target.toString());
    assertThat(copy.waitFor(45, TimeUnit.MINUTES)).isTrue();
    assertThat(copy.exitValue()).isZero();
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    try (InputStream in = Files.newInputStream(target)) {
      byte[] buffer = new byte[1 << 16];
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        digest.update(buffer, 0, count);
      }
    }
    assertThat(HexFormat.of().formatHex(digest.digest())).isEqualTo(promised.strip());
    sandbox.files().remove("big");
  }

  @Test
  void aClosedPipeEndsTheProgram() throws Exception {
    Process exec = cli(folder.resolve("said"), "exec", "-n", sandbox.id(), "--", "yes", "pipe");
    assertThat(exec.getInputStream().read()).isEqualTo('p');
    exec.getInputStream().close();
    assertThat(exec.waitFor(5, TimeUnit.MINUTES)).isTrue();
    assertThat(exec.exitValue()).isEqualTo(141);
    assertThat(folder.resolve("said")).isEmptyFile();
    awaitNoProgram("yes pipe");
  }

  @Test
  void aClosedPipeEndsCode() throws Exception {
    Process run =
        cli(folder.resolve("said"), "run", "-s", sandbox.id(), "-c", "while True: print('y')");
    assertThat(run.getInputStream().read()).isEqualTo('y');
    run.getInputStream().close();
    assertThat(run.waitFor(5, TimeUnit.MINUTES)).isTrue();
    assertThat(run.exitValue()).isEqualTo(141);
    assertThat(sandbox.runCode("6 * 7", c -> c.timeout(LONG)).text()).hasValue("42");
  }

  @Test
  void aTerminatedExecEndsItsProgram() throws Exception {
    Process exec = cli(folder.resolve("said"), "exec", "-n", sandbox.id(), "--", "sleep", "86401");
    RemoteProcess _ = awaitProcess("86401");
    exec.destroy();
    assertThat(exec.waitFor(5, TimeUnit.MINUTES)).isTrue();
    assertThat(exec.exitValue()).isEqualTo(143);
    awaitNoProgram("sleep 86401");
  }

  @Test
  void aTerminatedRunSaysSo() throws Exception {
    Path said = folder.resolve("said");
    Process run = cli(said, "run", "-c", "print('on', flush=True)\nimport time\ntime.sleep(86402)");
    assertThat(run.getInputStream().read()).isEqualTo('o');
    run.destroy();
    assertThat(run.waitFor(5, TimeUnit.MINUTES)).isTrue();
    assertThat(run.exitValue()).isEqualTo(143);
    assertThat(Files.readString(said)).endsWith("\natoll: terminated\n");
  }

  private static Process cli(Path messages, String... arguments) throws IOException {
    Path cli = RealServer.CHECKOUT.resolve("cli/target");
    String classes = cli.resolve("classes") + File.pathSeparator + cli.resolve("lib/*");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classes,
                "dev.atoll.cli.Main"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(messages.toFile());
    builder.environment().put("ATOLL_HOME", server.home().toString());
    builder.environment().remove("ATOLL_URL");
    return builder.start();
  }

  private static RemoteProcess awaitProcess(String argument) {
    await()
        .atMost(LONG)
        .until(
            () ->
                sandbox.processes().stream()
                    .anyMatch(p -> p.running() && p.command().contains(argument)));
    ProcessInfo found =
        sandbox.processes().stream()
            .filter(p -> p.running() && p.command().contains(argument))
            .findFirst()
            .orElseThrow();
    return sandbox.process(found.id());
  }

  /** The pattern does not find itself. */
  private static void awaitNoProgram(String command) {
    String pattern = "[" + command.charAt(0) + "]" + command.substring(1);
    await()
        .atMost(LONG)
        .untilAsserted(
            () ->
                assertThat(
                        sandbox
                            .shell(
                                "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c '"
                                    + pattern
                                    + "'")
                            .stdout()
                            .strip())
                    .isEqualTo("0"));
  }
}
