package dev.atoll.sdk;

import static java.util.concurrent.CompletableFuture.supplyAsync;

import dev.atoll.model.CaseResult;
import dev.atoll.model.Connection;
import dev.atoll.model.ConnectionVerdict;
import dev.atoll.model.ExecuteResult;
import dev.atoll.model.FileDifference;
import dev.atoll.model.FileUrl;
import dev.atoll.model.JudgeResult;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.OnIdle;
import dev.atoll.model.PoolInfo;
import dev.atoll.model.PortAccess;
import dev.atoll.model.PortInfo;
import dev.atoll.model.PortShare;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import dev.atoll.model.ServiceInfo;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/** The code of README.md and docs/sdk.md; ReadmeTest compares them. */
final class ReadmeSample {
  private ReadmeSample() {}

  static void quickStart() {
    // sample: quick-start
    Atoll atoll = Atoll.connect();
    try (Sandbox sandbox = atoll.sandboxes().create()) {
      sandbox.runCode("x = 6");
      RunResult result = sandbox.runCode("x * 7");
      System.out.println(result.text().orElseThrow()); // 42
    }
    // end
  }

  static void options(Atoll atoll) {
    // sample: options
    Sandbox sandbox =
        atoll
            .sandboxes()
            .create(
                s ->
                    s.template("python")
                        .memoryMiB(512)
                        .ttl(Duration.ofMinutes(10))
                        .metadata("job", "42"));
    RunResult result =
        sandbox.runCode(
            "import time\nfor i in range(3): print(i); time.sleep(1)",
            c -> c.timeout(Duration.ofSeconds(30)).onStdout(System.out::print));
    if (!result.ok()) {
      System.err.println(result.status() + " " + result.error());
    }
    // end
  }

  static void streaming(Sandbox sandbox) {
    // sample: streaming
    try (RunStream run = sandbox.streamCode("for i in range(10**9): print(i)")) {
      for (RunEvent event : run) {
        if (event instanceof RunEvent.Stdout out && out.offset() > 10_000) {
          break; // closing the stream cancels the run; run.detach() would leave it
        }
      }
    }
    // end
  }

  static void questions(Sandbox sandbox, String secret) {
    // sample: questions
    sandbox.runCode(
        "name = input('name? ')\nprint('hello', name)",
        c -> c.onInput(question -> question.asksPassword() ? secret : "Ada"));
    // end
  }

  static void programs(Sandbox sandbox) {
    // sample: programs
    RunResult listing = sandbox.run("ls", "-l", "/");
    RunResult count = sandbox.shell("cat /etc/passwd | wc -l");

    RemoteProcess server =
        sandbox.start(List.of("python3", "-m", "http.server"), c -> c.name("web").cwd("/tmp"));
    server.waitFor(Duration.ofSeconds(2)); // still running: info.running() is true
    server.kill();
    // end
    System.out.println(listing.stdout() + count.stdout());
  }

  static void files(Sandbox sandbox) {
    // sample: files
    SandboxFiles files = sandbox.files();
    files.write("data/in.csv", "a,b\n1,2\n");
    files.upload(Path.of("model.bin"), "model.bin");
    String text = files.readText("data/in.csv");
    files.downloadDirectory("data", Path.of("copy-of-data"));
    // end
    System.out.println(text);
  }

  static void urls(Sandbox sandbox) {
    // sample: urls
    FileUrl report = sandbox.files().downloadUrl("out/report.pdf", Duration.ofMinutes(10));
    FileUrl inbox = sandbox.files().uploadUrl("in/data.csv", Duration.ofHours(1), 50_000_000);
    System.out.println("curl -O -J '" + report.url() + "'");
    System.out.println("curl -T data.csv '" + inbox.url() + "'"); // at most 50 MB
    sandbox.files().revokeUrls(); // neither is good any more
    // end
  }

  static void virtualThreads(Sandbox sandbox, List<String> codes, ExecutorService threads)
      throws Exception {
    // sample: virtual-threads
    // threads = Executors.newVirtualThreadPerTaskExecutor()
    List<Future<RunResult>> runs =
        codes.stream().map(code -> threads.submit(() -> sandbox.runCode(code))).toList();
    for (Future<RunResult> run : runs) {
      System.out.println(run.get().stdout());
    }
    // end
  }

  static void stages(Sandbox sandbox, String code, ExecutorService threads) {
    // sample: stages
    CompletionStage<RunResult> stage =
        CompletableFuture.supplyAsync(() -> sandbox.runCode(code), threads);
    stage.thenAccept(result -> System.out.println(result.text().orElse("no value")));
    // end
  }

  static void front() {
    // sample: front
    Atoll atoll = Atoll.connect(); // the server on this machine, or ATOLL_URL and ATOLL_API_KEY
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.template("python").memoryMiB(512))) {
      sandbox.files().write("data.csv", "a,b\n1,2\n");
      sandbox.runCode("rows = open('data.csv').read().splitlines()");
      RunResult result = sandbox.runCode("len(rows)");
      System.out.println(result.text().orElseThrow()); // 2
    }
    // end
  }

  static void snapshots(Atoll atoll) {
    // sample: snapshots
    try (Sandbox sandbox = atoll.sandboxes().create()) {
      sandbox.files().uploadDirectory(Path.of("wheels"), "wheels");
      sandbox.shell("pip install --no-index --find-links wheels pandas");
      sandbox.runCode("import pandas as pd"); // this import is kept too
      sandbox.snapshot("with-pandas");
    }
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.snapshot("with-pandas"))) {
      sandbox.runCode("pd.DataFrame({'a': [1, 2]}).sum()");
    }
    // end
  }

  static void forks(Atoll atoll, List<String> strategies, ExecutorService threads) {
    // sample: forks
    try (Sandbox parent = atoll.sandboxes().create()) {
      parent.files().upload(Path.of("data.csv"), "data.csv");
      parent.runCode("rows = open('data.csv').readlines()");
      List<Sandbox> children = parent.fork(5); // each has the rows
      List<CompletableFuture<RunResult>> runs =
          IntStream.range(0, 5)
              .mapToObj(i -> supplyAsync(() -> children.get(i).runCode(strategies.get(i)), threads))
              .toList();
      List<Double> scores =
          runs.stream().map(run -> Double.valueOf(run.join().text().orElseThrow())).toList();
      Sandbox best = children.get(scores.indexOf(Collections.max(scores)));
      parent.mergeAndDestroyOthers(best);
      parent.runCode("print(model)"); // what the best child has made
    }
    // end
  }

  static void checkpoints(Atoll atoll) {
    // sample: checkpoints
    Sandbox sandbox = atoll.sandboxes().create(s -> s.checkpointEveryRun());
    sandbox.runCode("x = 1");
    sandbox.runCode("del x");
    sandbox.rewind(1); // before the last run: x is 1
    Sandbox attempt = sandbox.fork();
    attempt.runCode("x = 2; open('note', 'w').write('hello')");
    for (FileDifference file : sandbox.diff(attempt).files()) {
      System.out.println(file.change() + " " + file.path());
    }
    // end
  }

  static void spaces(Atoll atoll) {
    // sample: spaces
    Sandbox ana =
        atoll
            .spaces()
            .openOrCreate(
                "ana", s -> s.idleTimeout(Duration.ofMinutes(5)).onIdle(OnIdle.HIBERNATE));
    ana.runCode("visits = globals().get('visits', 0) + 1");
    ana.hibernate(); // or after five idle minutes; the next use wakes it
    // end
  }

  static void pools(Atoll atoll) {
    // sample: pools
    Pools pools = atoll.pools();
    PoolInfo pool = pools.create(p -> p.warm(3).max(20).cpus(1).memoryMiB(512));
    try (Sandbox sandbox = pools.claim(pool.id())) {
      sandbox.runCode("print('ready at once')");
    }
    // end
  }

  static void network(Atoll atoll) {
    // sample: network
    Sandbox sandbox =
        atoll
            .sandboxes()
            .create(s -> s.network(NetworkMode.ALLOWLIST).allow("api.example.com:443"));
    sandbox.network().allow("*.example.org"); // at once, while it runs
    sandbox.network().deny("bad.example.org");
    sandbox.network().set(NetworkPolicy.of(NetworkMode.NONE)); // closes what is open
    // By an administrator:
    atoll.projects().setCeiling("research", NetworkPolicy.of(NetworkMode.PACKAGES));
    Pages<Connection> refused =
        atoll.connections().list(q -> q.sandbox(sandbox.id()).verdict(ConnectionVerdict.REFUSED));
    for (Connection connection : refused) {
      System.out.println(connection.name() + ": " + connection.reason());
    }
    try (ConnectionFeed feed = atoll.connections().follow()) {
      feed.forEach(System.out::println);
    }
    // end
  }

  static void secrets(Atoll atoll, String key) {
    // sample: secrets
    atoll.secrets().set("openai", s -> s.value(key).domain("api.openai.com").env("OPENAI_API_KEY"));
    Sandbox sandbox = atoll.sandboxes().create(s -> s.secret("openai").allow("api.openai.com"));
    sandbox.runCode("import os; print(os.environ['OPENAI_API_KEY'])"); // atoll-secret-…
    atoll.secrets().delete("openai");
    // end
  }

  static void ports(Sandbox sandbox) throws IOException {
    // sample: ports
    sandbox.start("python3", "-m", "http.server", "8000");
    for (PortInfo port : sandbox.ports().list()) {
      System.out.println(port.port() + " " + port.program() + " " + port.access().wire());
    }
    PortShare share = sandbox.ports().share(8000, Duration.ofHours(2));
    System.out.println(share.url()); // lets in who opens it in a browser
    sandbox.ports().access(8000, PortAccess.PUBLIC); // everybody who knows the address
    try (PortForward forward = sandbox.ports().forward(0, 8000)) {
      System.out.println(forward.local()); // a port of this machine that stands for it
    }
    try (PortStream stream = sandbox.ports().connect(8000)) { // whatever is spoken there
      stream.output().write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      stream.output().close(); // ends this side only
      System.out.println(new String(stream.input().readAllBytes(), StandardCharsets.UTF_8));
    }
    // end
  }

  static void services(Atoll atoll) throws IOException {
    // sample: services
    Path program = Path.of("app");
    ServiceInfo service =
        atoll.services().deploy("hello", s -> s.directory(program).start("python3 main.py").max(3));
    System.out.println(service.url()); // starts when somebody asks
    atoll.services().logs("hello", 100).forEach(line -> System.out.println(line.text()));
    atoll.services().update("hello", s -> s.min(1));
    atoll.services().rollback("hello"); // the revision before serves again
    atoll.services().stop("hello"); // its instances end; the next request starts one
    atoll.services().delete("hello");
    // end
  }

  static void programs(Atoll atoll, String code) {
    // sample: programs
    ExecuteResult result =
        atoll.execute("c", code, e -> e.stdin("2 3").timeout(Duration.ofSeconds(5)));
    System.out.println(result.status() + " " + result.stdout());
    JudgeResult judged =
        atoll.judge(
            "c",
            code,
            j -> j.expect("2 3", "5").expect("10 20", "30").timeLimit(Duration.ofSeconds(1)));
    for (CaseResult one : judged.cases()) {
      System.out.println(one.verdict().wire() + " " + one.cpuMillis() + " ms " + one.diff());
    }
    // end
  }

  static void errors(Atoll atoll) {
    // sample: errors
    try (Sandbox sandbox = atoll.sandboxes().connect("my-space")) {
      sandbox.runCode("1 / 0"); // no exception: result.error() has it
    } catch (SandboxNotFoundException e) {
      System.err.println(e.getMessage() + "; " + e.hint());
    } catch (QuotaExceededException e) {
      System.err.println("again in " + e.retryAfter().orElse(Duration.ofMinutes(1)));
    } catch (ApiException e) {
      System.err.println(e.code() + ": " + e.getMessage() + " (request " + e.requestId() + ")");
    }
    // end
  }
}
