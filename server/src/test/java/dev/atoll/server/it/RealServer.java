package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.RetryPolicy;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A server as users start it: its own JVM, gVisor below it, a data directory of its own that is
 * removed with it.
 */
public final class RealServer implements AutoCloseable {
  static final Path CHECKOUT = checkout(Path.of("").toAbsolutePath());
  private static final Path SERVER = CHECKOUT.resolve("server");

  /** For what ends by itself, be the machine ever so busy. */
  private static final long STOP_MINUTES = 5;

  private final Path home;
  private final boolean ownHome;
  private final Surroundings surroundings;
  private List<String> arguments;
  private Process process;

  /**
   * What a server finds on its host.
   *
   * @param options of its JVM
   * @param variables of its environment
   * @param templates the folder of recipes
   * @param template what is built before the tests begin
   */
  public record Surroundings(
      List<String> options, Map<String, String> variables, Path templates, String template) {
    /** Those of most tests. */
    public static Surroundings usual() {
      return new Surroundings(List.of(), Map.of(), CHECKOUT.resolve("templates"), "python");
    }

    /** The same with names that mean what a file like {@code /etc/hosts} says. */
    public Surroundings withHosts(Path file) {
      return new Surroundings(
          // What the file says counts at once: the JVM would keep answers for half a minute.
          List.of("-Djdk.net.hosts.file=" + file, "-Dsun.net.inetaddr.ttl=1"),
          variables,
          templates,
          template);
    }
  }

  /**
   * Starts it.
   *
   * @param arguments settings besides those of every test
   */
  public RealServer(String... arguments) throws IOException, InterruptedException {
    this(Surroundings.usual(), arguments);
  }

  /** Starts it in surroundings of its own. */
  public RealServer(Surroundings surroundings, String... arguments)
      throws IOException, InterruptedException {
    this(TestHome.create(), true, surroundings, arguments);
  }

  /** Starts it with a data directory that the test keeps. */
  RealServer(Path home, Surroundings surroundings, String... arguments)
      throws IOException, InterruptedException {
    this(home, false, surroundings, arguments);
  }

  private RealServer(Path home, boolean ownHome, Surroundings surroundings, String... arguments)
      throws IOException, InterruptedException {
    this.surroundings = surroundings;
    this.arguments = List.of(arguments);
    this.home = home;
    this.ownHome = ownHome;
    process = begin(log());
    boolean ready = false;
    try {
      awaitStart();
      build(surroundings.template());
      ready = true;
    } finally {
      if (!ready) {
        abandon();
      }
    }
  }

  /** Has a template at hand: what another server of the tests has built is not built again. */
  public void build(String template) throws IOException, InterruptedException {
    if (!ownHome) {
      atoll().templates().build(template);
      return;
    }
    try (Turn _ = Turn.of("template-" + template)) {
      TestHome.link(home);
      atoll().templates().build(template);
      TestHome.share(home);
    }
  }

  /** Ends a server that did not come to work, and whatever it has started. */
  private void abandon() throws IOException, InterruptedException {
    process.destroy();
    if (!process.waitFor(STOP_MINUTES, TimeUnit.MINUTES)) {
      kill();
    }
    machineHandles().forEach(ProcessHandle::destroyForcibly);
    if (ownHome) {
      TestHome.remove(home);
    }
  }

  /** Tests of other modules use this too, and begin in folders of their own. */
  private static Path checkout(Path folder) {
    Path parent = folder.getParent();
    return Files.exists(folder.resolve("mvnw")) || parent == null ? folder : checkout(parent);
  }

  /** Its data directory. */
  public Path home() {
    return home;
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  private Path log() throws IOException {
    return Files.createDirectories(home.resolve("logs")).resolve("it-server.out");
  }

  private Process begin(Path log) throws IOException {
    Files.deleteIfExists(serverFile());
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    // Little heap on purpose: nothing may grow with the size of what passes through.
    List<String> command = new ArrayList<>(List.of(java, "-Xmx192m"));
    command.addAll(surroundings.options());
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            SERVER.resolve("target/classes") + File.pathSeparator + SERVER.resolve("target/lib/*"),
            "dev.atoll.server.Main",
            "--data-dir=" + home,
            "--templates-dir=" + surroundings.templates().toAbsolutePath().normalize(),
            "--server.port=0"));
    command.addAll(arguments);
    String runsc = System.getenv("ATOLL_RUNSC");
    if (runsc != null && arguments.stream().noneMatch(a -> a.startsWith("--gvisor.runsc="))) {
      command.add("--gvisor.runsc=" + runsc);
    }
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().put("ATOLL_HOST_SECRET", "must-not-be-seen-inside");
    builder.environment().putAll(surroundings.variables());
    return builder.start();
  }

  private void awaitStart() throws IOException, InterruptedException {
    Progress progress = new Progress(process, log());
    while (!Files.exists(serverFile())) {
      if (progress.hasStopped()) {
        process.destroyForcibly();
        throw new IOException("the server did not start:\n" + Files.readString(log()));
      }
      Thread.sleep(50);
    }
  }

  private Path serverFile() {
    return home.resolve("run/server.json");
  }

  /** A client that finds the server the way the CLI does, also after it has moved. */
  public Atoll atoll() {
    return Atoll.builder().environment(Map.of("ATOLL_HOME", home.toString())).build();
  }

  /** One that does not wait for a server to come back. */
  Atoll impatient() {
    return Atoll.builder()
        .environment(Map.of("ATOLL_HOME", home.toString()))
        .retryPolicy(
            new RetryPolicy(1, Duration.ofMillis(10), Duration.ofMillis(10), Duration.ZERO))
        .build();
  }

  /** One that repeats a call until a server that is slow to start is there again. */
  Atoll patient() {
    return Atoll.builder()
        .environment(Map.of("ATOLL_HOME", home.toString()))
        .retryPolicy(
            new RetryPolicy(
                1000, Duration.ofMillis(100), Duration.ofMillis(200), Duration.ofMinutes(5)))
        .build();
  }

  /** Starts one that refuses to, because of its data, and returns what it says. */
  String refusedStart() throws IOException, InterruptedException {
    Path log = log();
    process = begin(log);
    assertThat(process.waitFor(STOP_MINUTES, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(log)).isEqualTo(3);
    return Files.readString(log);
  }

  /** Ends it with SIGTERM; its sandboxes go on. */
  void stop() throws InterruptedException {
    process.destroy();
    assertThat(process.waitFor(STOP_MINUTES, TimeUnit.MINUTES)).isTrue();
  }

  /** Brings a backup back to a data directory, as the launcher does; returns what is said. */
  static String restore(Path home, Path backup, int exit) throws IOException, InterruptedException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process restoring =
        new ProcessBuilder(
                java,
                "-Xmx192m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                SERVER.resolve("target/classes")
                    + File.pathSeparator
                    + SERVER.resolve("target/lib/*"),
                "dev.atoll.server.Main",
                "restore",
                backup.toString(),
                "--data-dir=" + home)
            .redirectErrorStream(true)
            .start();
    String said = new String(restoring.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(restoring.waitFor()).as(said).isEqualTo(exit);
    return said;
  }

  /** Ends the server with SIGKILL, at once. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    assertThat(process.waitFor(STOP_MINUTES, TimeUnit.MINUTES)).isTrue();
  }

  void start() throws IOException, InterruptedException {
    process = begin(log());
    awaitStart();
  }

  /** Starts it with other settings than before. */
  void startWith(String... others) throws IOException, InterruptedException {
    arguments = List.of(others);
    process = begin(log());
    awaitStart();
  }

  /** Starts another one and ends it with SIGTERM as soon as it makes a machine. */
  void stopWhileItStarts() throws IOException, InterruptedException {
    process.destroy();
    assertThat(process.waitFor(STOP_MINUTES, TimeUnit.MINUTES)).isTrue();
    assertThat(children(home.resolve("sandboxes"))).isEmpty();
    process = begin(log());
    Progress progress = new Progress(process, log());
    while (children(home.resolve("sandboxes")).isEmpty()) {
      assertThat(progress.hasStopped()).as("it ended or stands still, without a machine").isFalse();
      Thread.sleep(1);
    }
    process.destroy();
    assertThat(process.waitFor(STOP_MINUTES, TimeUnit.MINUTES)).isTrue();
  }

  /** Host processes that belong to this server's sandboxes. */
  List<String> machineProcesses() {
    return machineHandles().map(RealServer::commandLine).toList();
  }

  private Stream<ProcessHandle> machineHandles() {
    String sandboxes = home.resolve("sandboxes").toString();
    return ProcessHandle.allProcesses().filter(handle -> commandLine(handle).contains(sandboxes));
  }

  static String commandLine(ProcessHandle handle) {
    return handle.info().commandLine().orElse("");
  }

  /** Fails if a sandbox of this server has left anything on the host. */
  public void assertNothingLeft(@Nullable String machine) throws IOException {
    String wanted = machine == null ? "" : machine;
    assertThat(machineProcesses()).noneMatch(line -> line.contains(wanted));
    assertThat(children(home.resolve("sandboxes")))
        .noneMatch(path -> path.toString().contains(wanted));
    assertThat(Files.readAllLines(Path.of("/proc/mounts")))
        .noneMatch(line -> line.contains(home.toString()) && line.contains(wanted));
    assertThat(controlGroups())
        .noneMatch(group -> group.contains(groupPrefix()) && group.contains(wanted));
  }

  /** The value of a metric, over all its labels. */
  long metric(String name) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      URI address = URI.create(atoll().endpoint().url() + "/metrics");
      return client
          .send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofLines())
          .body()
          .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
          .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
          .sum();
    }
  }

  /** The machine that a sandbox lives in, as the server's database says. */
  String machineOf(String sandbox) throws SQLException {
    try (Connection database =
            DriverManager.getConnection("jdbc:sqlite:" + home.resolve("atoll.db"));
        PreparedStatement query =
            database.prepareStatement("SELECT machine FROM sandboxes WHERE id = ?")) {
      query.setString(1, sandbox);
      try (ResultSet rows = query.executeQuery()) {
        assertThat(rows.next()).isTrue();
        return rows.getString(1);
      }
    }
  }

  /** What the names of this server's control groups begin with; other servers may be running. */
  private String groupPrefix() {
    try {
      byte[] root = home.resolve("sandboxes").toString().getBytes(StandardCharsets.UTF_8);
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(root);
      return "/" + HexFormat.of().formatHex(digest, 0, 4) + "-";
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private static List<String> controlGroups() throws IOException {
    List<String> groups = new ArrayList<>();
    for (Path mount : children(Path.of("/sys/fs/cgroup"))) {
      for (Path parent : List.of(mount, mount.resolve("atoll"))) {
        if (parent.endsWith("atoll") && Files.isDirectory(parent)) {
          children(parent).stream()
              .filter(Files::isDirectory)
              .map(Path::toString)
              .forEach(groups::add);
        }
      }
    }
    return groups;
  }

  private static List<Path> children(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.toList();
    }
  }

  @Override
  public void close() throws IOException {
    if (process.isAlive()) {
      atoll().sandboxes().list().stream()
          .forEach(info -> atoll().sandboxes().handle(info.id()).terminate());
      process.destroy();
      assertThat(process.onExit().orTimeout(STOP_MINUTES, TimeUnit.MINUTES).join().isAlive())
          .isFalse();
    }
    assertNothingLeft(null);
    assertThat(Files.exists(serverFile())).isFalse();
    if (ownHome) {
      TestHome.remove(home);
    }
  }
}
