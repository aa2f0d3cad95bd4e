package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.ZstdInputStream;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.atoll.engine.secret.SecretSettings;
import dev.atoll.engine.secret.Secrets;
import dev.atoll.engine.store.SecretRows;
import dev.atoll.engine.store.Store;
import dev.atoll.model.Connection;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.RunResult;
import dev.atoll.model.SandboxUpdate;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Secrets of real sandboxes: they arrive at the hosts that they are for, and are nowhere inside.
 * Servers on an address of this host stand for the internet, with certificates that the setting
 * {@code network.trust} names.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SecretIT {
  private static final String VALUE = "reef-7261-" + "value-that-must-stay-outside";
  private static final String BOUND = "api.reef.test";
  private static final String OTHER = "other.reef.test";

  @TempDir static Path folder;
  private final List<String> arrived = new CopyOnWriteArrayList<>();
  private RealServer server;
  private Atoll atoll;
  private HttpServer plain;
  private HttpsServer api;
  private HttpsServer other;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    InetAddress own = LocalInternet.unused();
    Path trust = folder.resolve("trust.pem");
    try (Store store = Store.open(folder.resolve("world.db"))) {
      Secrets world = new Secrets(new SecretRows(store), SecretSettings.defaults(), folder);
      Files.writeString(trust, world.authorities().certificate("world"));
      api = HttpsServer.create(new InetSocketAddress(own, 0), 50);
      api.setHttpsConfigurator(new HttpsConfigurator(world.authorities().context("world", BOUND)));
      other = HttpsServer.create(new InetSocketAddress(own, 0), 50);
      other.setHttpsConfigurator(
          new HttpsConfigurator(world.authorities().context("world", OTHER)));
    }
    plain = HttpServer.create(new InetSocketAddress(own, 0), 50);
    for (HttpServer one : List.of(plain, api, other)) {
      serve(one);
    }
    Path hosts = folder.resolve("hosts");
    Files.writeString(
        hosts,
        own.getHostAddress() + " " + BOUND + "\n" + own.getHostAddress() + " " + OTHER + "\n");
    server =
        new RealServer(
            RealServer.Surroundings.usual().withHosts(hosts),
            "--network.reachable=" + own.getHostAddress() + "/32",
            "--network.find-registries=false",
            "--network.trust=" + trust);
    atoll = server.atoll();
  }

  /** Notes what came in, and says it all back. */
  private void serve(HttpServer one) {
    one.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    one.createContext(
        "/",
        exchange -> {
          String said =
              exchange.getRequestURI().getRawQuery()
                  + " "
                  + exchange.getRequestHeaders().getFirst("Authorization")
                  + " "
                  + exchange.getRequestHeaders().getFirst("X-Api-Key");
          arrived.add(said);
          byte[] body = ("said: " + said).getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().set("X-Said", said);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    one.start();
  }

  @AfterAll
  void stop() throws IOException {
    atoll.secrets().list().forEach(secret -> atoll.secrets().delete(secret.name()));
    server.close();
    for (HttpServer one : List.of(plain, api, other)) {
      one.stop(0);
    }
  }

  @BeforeEach
  void clean() {
    arrived.clear();
  }

  private String url(String path) {
    return "https://" + BOUND + ":" + api.getAddress().getPort() + path;
  }

  private String plainUrl(String path) {
    return "http://" + BOUND + ":" + plain.getAddress().getPort() + path;
  }

  /** A secret for both servers of the bound name; gives its placeholder. */
  private String secret(String name, String header, String query) {
    return atoll
        .secrets()
        .set(
            name,
            s ->
                s.value(VALUE)
                    .domain(
                        BOUND + ":" + api.getAddress().getPort(),
                        "http://" + BOUND + ":" + plain.getAddress().getPort())
                    .header(header)
                    .query(query)
                    .env("REEF_KEY"))
        .placeholder();
  }

  private Sandbox sandbox(String... secrets) {
    return atoll
        .sandboxes()
        .create(s -> s.network(NetworkMode.ALLOWLIST).allow(BOUND, OTHER).secret(secrets));
  }

  private static RunResult shell(Sandbox sandbox, String line) {
    return sandbox.shell(line, o -> o.timeout(Duration.ofSeconds(60)));
  }

  @Test
  void theValueArrivesByEveryClientAndInEveryForm() {
    String placeholder = secret("plain", "", "");
    secret("header", "X-Api-Key: {value}", "");
    secret("query", "", "key={value}");
    try (Sandbox box = sandbox("plain")) {
      RunResult curl =
          shell(box, "curl -sS -i -H \"Authorization: Bearer $REEF_KEY\" " + url("/a?x=1"));
      assertThat(curl.exitCode()).as(curl.stderr()).isZero();
      assertThat(curl.stdout()).contains("said: x=1 Bearer atoll-secret-").doesNotContain(VALUE);
      shell(box, "curl -sS -u git:$REEF_KEY " + plainUrl("/"));
      RunResult urllib =
          box.runCode(
              "import os, urllib.request\n"
                  + "r = urllib.request.Request('"
                  + url("/")
                  + "', headers={'Authorization': 'Bearer ' + os.environ['REEF_KEY']})\n"
                  + "urllib.request.urlopen(r).read().decode()");
      assertThat(urllib.error()).as(String.valueOf(urllib.error())).isNull();
      assertThat(urllib.text().orElseThrow()).contains("atoll-secret-").doesNotContain(VALUE);
      RunResult requests =
          box.runCode(
              "from pip._vendor import requests\n"
                  + "s = requests.Session()\n"
                  + "h = {'Authorization': 'Bearer ' + os.environ['REEF_KEY']}\n"
                  + "[s.get('"
                  + url("/")
                  + "', headers=h).status_code for _ in range(3)]");
      assertThat(requests.text()).hasValue("[200, 200, 200]");
      assertThat(arrived)
          .containsExactly(
              "x=1 Bearer " + VALUE + " null",
              "null Basic " + base64("git:" + VALUE) + " null",
              "null Bearer " + VALUE + " null",
              "null Bearer " + VALUE + " null",
              "null Bearer " + VALUE + " null",
              "null Bearer " + VALUE + " null");
      RunResult git = shell(box, "git ls-remote " + url("/repo") + " 2>&1");
      assertThat(git.stdout()).doesNotContain("certificate");
      List<Connection> all = atoll.connections().list(q -> q.sandbox(box.id())).stream().toList();
      assertThat(all).anyMatch(c -> c.secrets() != null && c.secrets().contains("plain"));
      assertThat(all.toString()).doesNotContain(VALUE);
    }
    arrived.clear();
    try (Sandbox box = sandbox("header", "query")) {
      shell(box, "curl -sS " + url("/?a=b"));
      assertThat(arrived).containsExactly("a=b&key=" + VALUE + " null " + VALUE);
    }
    arrived.clear();
    try (Sandbox box = sandbox()) {
      shell(box, "curl -ksS -H 'Authorization: Bearer " + placeholder + "' " + url("/"));
      assertThat(arrived).containsExactly("null Bearer " + placeholder + " null");
    }
  }

  private static String base64(String text) {
    return java.util.Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  @Test
  void onlyConnectionsToItsDomainsAreOpened() {
    secret("plain", "", "");
    try (Sandbox box = sandbox("plain")) {
      String unbound = "https://" + OTHER + ":" + other.getAddress().getPort() + "/";
      assertThat(shell(box, "curl -ksSv -o /dev/null " + unbound + " 2>&1").stdout())
          .contains("issuer: CN=Atoll project world");
      assertThat(shell(box, "curl -sS " + unbound).exitCode()).isEqualTo(60);
      assertThat(shell(box, "curl -sSv -o /dev/null " + url("/") + " 2>&1").stdout())
          .contains("issuer: CN=Atoll project default");
    }
    try (Sandbox box = sandbox()) {
      assertThat(shell(box, "curl -ksSv -o /dev/null " + url("/") + " 2>&1").stdout())
          .contains("issuer: CN=Atoll project world");
      assertThat(shell(box, "ls /usr/local/share/ca-certificates").stdout())
          .doesNotContain("atoll");
    }
  }

  @Test
  void itIsUsedByForksAfterSleepAndByRunningKernelsAndChangesAtOnce() {
    secret("plain", "", "");
    String code =
        "import os, urllib.request\n"
            + "def ask():\n"
            + "    r = urllib.request.Request('"
            + url("/")
            + "', headers={'X-Api-Key': os.environ['REEF_KEY']})\n"
            + "    return urllib.request.urlopen(r).status\n"
            + "ask()";
    SnapshotInfo snapshot;
    try (Sandbox box = sandbox("plain")) {
      assertThat(box.runCode(code).text()).hasValue("200");
      try (Sandbox child = box.fork()) {
        assertThat(child.runCode("ask()").text()).hasValue("200");
      }
      box.hibernate();
      assertThat(box.runCode("ask()").text()).hasValue("200");
      assertThat(arrived).hasSize(3).allMatch(said -> said.endsWith(VALUE));
      atoll.secrets().set("plain", s -> s.value("the-value-after-the-change"));
      box.runCode("ask()");
      assertThat(arrived.getLast()).endsWith("the-value-after-the-change");
      snapshot = box.snapshot();
      box.update(
          new SandboxUpdate(null, null, null, null, null, null, null, null, null, List.of()));
      shell(box, "curl -ksS -H \"X-Api-Key: $REEF_KEY\" " + url("/"));
      assertThat(arrived.getLast()).doesNotContain("the-value");
    }
    try (Sandbox later =
        atoll
            .sandboxes()
            .create(
                s ->
                    s.snapshot(snapshot.id())
                        .network(NetworkMode.ALLOWLIST)
                        .allow(BOUND)
                        .secret("plain"))) {
      assertThat(later.runCode("ask()").text()).hasValue("200");
      assertThat(arrived.getLast()).endsWith("the-value-after-the-change");
      atoll.secrets().delete("plain");
      shell(later, "curl -ksS -H \"X-Api-Key: $REEF_KEY\" " + url("/"));
      assertThat(arrived.getLast()).contains("atoll-secret-").doesNotContain("the-value");
    }
    atoll.snapshots().delete(snapshot.id());
  }

  @Test
  void itIsNowhereInsideAndInNoSnapshotAndNoFileOfTheServer() throws IOException {
    String placeholder = secret("plain", "", "");
    try (Sandbox box = sandbox("plain")) {
      // One that keeps what it was answered, in memory and on disk.
      box.runCode(
          "import os, urllib.request\n"
              + "r = urllib.request.Request('"
              + url("/")
              + "', headers={'X-Api-Key': os.environ['REEF_KEY']})\n"
              + "answer = urllib.request.urlopen(r); body = answer.read(); head = str(answer.headers)\n"
              + "open('kept', 'wb').write(body + head.encode())");
      assertThat(arrived).anyMatch(said -> said.contains(VALUE));
      RunResult inside = search(box, VALUE);
      assertThat(inside.exitCode()).as(inside.stderr()).isZero();
      assertThat(inside.stdout()).isEqualTo("found 0 []\n");
      assertThat(inMemory(box, VALUE)).isEqualTo("0");
      // The same search finds what is there. What was masked has the length of the value.
      String seen = placeholder.substring(0, 30);
      assertThat(search(box, seen).stdout()).contains("/home/sandbox/kept");
      assertThat(box.shell("cat /proc/self/environ").stdout()).contains(seen);
      assertThat(inMemory(box, seen)).isNotEqualTo("0");
      // Memory of the whole guest is in its snapshots.
      SnapshotInfo snapshot = box.snapshot();
      Path exported = folder.resolve("exported");
      atoll.snapshots().exportTo(snapshot.id(), exported);
      try (InputStream in =
          new ZstdInputStream(new BufferedInputStream(Files.newInputStream(exported)))) {
        assertThat(found(in, VALUE, placeholder)).containsExactly(placeholder);
      }
      assertThat(foundBelow(server.home().resolve("snapshots"), placeholder)).isNotEmpty();
      assertThat(foundBelow(server.home().resolve("snapshots"), VALUE)).isEmpty();
      assertThat(foundBelow(server.home().resolve("sandboxes"), VALUE)).isEmpty();
      assertThat(foundBelow(server.home().resolve("logs"), VALUE)).isEmpty();
      for (String file : List.of("atoll.db", "atoll.db-wal")) {
        if (Files.exists(server.home().resolve(file))) {
          try (InputStream in = Files.newInputStream(server.home().resolve(file))) {
            assertThat(found(in, VALUE)).as(file).isEmpty();
          }
        }
      }
      atoll.snapshots().delete(snapshot.id());
    }
  }

  /**
   * Looks for a text in all processes and files, as root; it comes reversed, so as not to find
   * itself.
   */
  private static RunResult search(Sandbox box, String text) {
    String script =
        """
        import os, sys
        needle = sys.argv[1][::-1].encode()
        hits = []
        def look(name, read):
            try:
                tail = b''
                while True:
                    block = read(1 << 20)
                    if not block: return
                    if needle in tail + block: hits.append(name); return
                    tail = block[-len(needle):]
            except OSError:
                pass
        for pid in filter(str.isdigit, os.listdir('/proc')):
            if int(pid) == os.getpid(): continue
            for name in ('environ', 'cmdline'):
                try:
                    with open(f'/proc/{pid}/{name}', 'rb') as f: look(f'{name} of {pid}', f.read)
                except OSError: pass
        for top, folders, files in os.walk('/'):
            if top == '/': folders[:] = [d for d in folders if d not in ('proc', 'sys', 'dev')]
            for name in files:
                path = os.path.join(top, name)
                if os.path.isfile(path) and not os.path.islink(path):
                    try:
                        with open(path, 'rb') as f: look(path, f.read)
                    except OSError: pass
        print('found', len(hits), sorted(set(hits)))
        """;
    return box.run(
        List.of("python3", "-c", script, new StringBuilder(text).reverse().toString()),
        o -> o.user("root").timeout(Duration.ofMinutes(5)));
  }

  /**
   * How often a text is in the memory of the Python context that has used the secret. gVisor shows
   * a process its own memory only. Halves are looked for, and compared backwards, so that the text
   * is not there for the search's own sake.
   */
  private static String inMemory(Sandbox box, String text) {
    String code =
        """
        import re
        def count(first, rest):
            n = 0
            with open('/proc/self/mem', 'rb', buffering=0) as f:
                for line in open('/proc/self/maps').read().splitlines():
                    m = re.match('([0-9a-f]+)-([0-9a-f]+) rw', line)
                    if not m: continue
                    at, last = (int(x, 16) for x in m.groups())
                    while at < last:
                        try:
                            f.seek(at)
                            block = f.read(min(1 << 20, last - at))
                        except OSError: break
                        if not block: break
                        for hit in re.finditer(first, block):
                            n += block[hit.end():hit.end() + len(rest)][::-1] == rest
                        at += len(block) if len(block) <= 64 or at + len(block) >= last else len(block) - 64
            return n
        """;
    int half = text.length() / 2;
    StringBuilder rest = new StringBuilder(text.substring(half)).reverse();
    RunResult result =
        box.runCode(code + "count(b'" + text.substring(0, half) + "', b'" + rest + "')");
    return result.error() == null ? result.text().orElseThrow() : result.error().toString();
  }

  private static List<Path> foundBelow(Path folder, String text) throws IOException {
    List<Path> hits = new ArrayList<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        try (InputStream in = Files.newInputStream(file)) {
          if (!found(in, text).isEmpty()) {
            hits.add(file);
          }
        }
      }
    }
    return hits;
  }

  /** Which of the texts are in a stream of any length. */
  private static List<String> found(InputStream in, String... texts) throws IOException {
    List<String> hits = new ArrayList<>();
    byte[] block = new byte[1 << 20];
    String tail = "";
    for (int n = in.readNBytes(block, 0, block.length);
        n > 0;
        n = in.readNBytes(block, 0, block.length)) {
      String part = tail + new String(block, 0, n, StandardCharsets.ISO_8859_1);
      for (String text : texts) {
        if (!hits.contains(text) && part.contains(text)) {
          hits.add(text);
        }
      }
      tail = part.substring(Math.max(0, part.length() - 200));
    }
    return hits;
  }
}
