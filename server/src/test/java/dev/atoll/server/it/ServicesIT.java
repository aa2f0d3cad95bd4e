package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.atoll.model.ErrorCode;
import dev.atoll.model.InstanceState;
import dev.atoll.model.ServiceInfo;
import dev.atoll.model.ServiceLogLine;
import dev.atoll.sdk.ApiException;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.ConflictException;
import dev.atoll.sdk.NotFoundException;
import dev.atoll.sdk.ServiceLogFeed;
import dev.atoll.sdk.ServiceOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Services in real sandboxes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ServicesIT {
  /** Tells who answers; ends itself when asked to. */
  private static final String PROGRAM =
      """
      import os, socket, sys, time
      from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

      class Handler(BaseHTTPRequestHandler):
          def do_GET(self):
              if self.path == "/die":
                  os._exit(3)
              if self.path == "/slow":
                  time.sleep(2)
              body = (os.environ["COLOUR"] + " " + socket.gethostname()).encode()
              self.send_response(200)
              self.send_header("Content-Length", str(len(body)))
              self.end_headers()
              self.wfile.write(body)

          def do_POST(self):
              size = int(self.headers["Content-Length"])
              body = str(len(self.rfile.read(size))).encode()
              self.send_response(200)
              self.send_header("Content-Length", str(len(body)))
              self.end_headers()
              self.wfile.write(body)

          def log_message(self, form, *args):
              print("asked for", self.path if hasattr(self, "path") else "", flush=True)

      class Server(ThreadingHTTPServer):
          request_queue_size = 128

      print("begun", flush=True)
      Server(("", int(os.environ["PORT"])), Handler).serve_forever()
      """;

  private RealServer server;
  private Atoll atoll;
  private ServiceCaller caller;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    server = new RealServer();
    atoll = server.atoll();
    caller = new ServiceCaller(atoll);
  }

  @AfterAll
  void stop() throws IOException {
    caller.close();
    server.close();
  }

  @AfterEach
  void clear() {
    atoll.services().list().forEach(service -> atoll.services().delete(service.id()));
    assertThat(atoll.sandboxes().list().stream()).isEmpty();
    assertThat(atoll.snapshots().list().stream()).isEmpty();
    assertThat(server.home().resolve("services")).isEmptyDirectory();
  }

  private static ServiceOptions program(ServiceOptions options, String colour) {
    return options
        .file("main.py", PROGRAM)
        .start("exec python3 main.py")
        .env("COLOUR", colour)
        .health("/health");
  }

  @Test
  void aDirectoryIsDeployedAndReachedBelowAPathAndAsAHost(@TempDir Path folder) throws Exception {
    Files.writeString(folder.resolve("main.py"), PROGRAM);
    ServiceInfo service =
        atoll
            .services()
            .deploy(
                "web",
                s -> s.directory(folder).start("python3 main.py").env("COLOUR", "red").port(8000));
    assertThat(service.revision()).isEqualTo(1);
    String sandbox = service.instances().getFirst().sandbox();
    assertThat(caller.body("/")).isEqualTo("red " + sandbox.replace('_', '-'));
    assertThatThrownBy(() -> atoll.sandboxes().handle(sandbox).terminate())
        .isInstanceOf(ConflictException.class);
    URI host = URI.create(String.valueOf(service.url()));
    assertThat(asHost(host, host.getRawPath())).startsWith("HTTP/1.1 401");
    URI shared = URI.create(String.valueOf(atoll.services().share("web").url()));
    assertThat(asHost(shared, shared.getRawPath() + "?" + shared.getRawQuery()))
        .startsWith("HTTP/1.1 200")
        .endsWith("red " + sandbox.replace('_', '-'));
    HttpResponse<String> large =
        caller
            .client()
            .send(
                caller
                    .request("/upload")
                    .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[8 << 20]))
                    .build(),
                BodyHandlers.ofString());
    assertThat(large.body()).isEqualTo(Integer.toString(8 << 20));
    ServiceCaller.await(() -> caller.logged("asked for /upload"), "the log has the request");
    // A look at its health is a connection that ends in order.
    assertThat(atoll.services().logs("web", 1000))
        .noneMatch(line -> line.text().contains("Traceback"));
  }

  private static String asHost(URI url, String target) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), url.getPort())) {
      String request =
          "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
              .formatted(target, url.getAuthority());
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void itScalesFromZeroToTheMaximumAndBackByHibernation() throws Exception {
    atoll
        .services()
        .deploy("web", s -> program(s, "blue").max(2).concurrency(1).idle(Duration.ofSeconds(1)));
    ServiceCaller.await(() -> caller.states().equals(List.of(InstanceState.HIBERNATED)), "asleep");
    assertThat(caller.body("/")).startsWith("blue ");
    List<CompletableFuture<String>> slow = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      slow.add(CompletableFuture.supplyAsync(this::slow));
    }
    List<String> answers = new ArrayList<>();
    for (CompletableFuture<String> one : slow) {
      answers.add(one.get(120, TimeUnit.SECONDS));
    }
    ServiceCaller.await(() -> caller.states().size() == 2, "a second instance was made");
    assertThat(answers).allMatch(answer -> answer.startsWith("blue "));
    ServiceCaller.await(
        () -> caller.states().equals(List.of(InstanceState.HIBERNATED, InstanceState.HIBERNATED)),
        "all asleep");
    assertThat(server.machineProcesses())
        .noneMatch(
            line ->
                atoll.services().get("web").instances().stream()
                    .anyMatch(instance -> line.contains(instance.sandbox())));
    assertThat(caller.body("/")).startsWith("blue ");
  }

  private String slow() {
    try {
      return caller.body("/slow");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aNewRevisionTakesOverUnderLoadWithoutALostRequestAndAFailedOneChangesNothing()
      throws Exception {
    atoll.services().deploy("web", s -> program(s, "green"));
    AtomicBoolean done = new AtomicBoolean();
    ConcurrentLinkedQueue<String> answers = new ConcurrentLinkedQueue<>();
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      callers.add(Thread.ofVirtual().start(() -> load(done, answers)));
    }
    ServiceCaller.await(() -> answers.size() > 20, "requests are answered");
    atoll.services().deploy("web", s -> program(s, "white"));
    assertThat(caller.body("/")).startsWith("white ");
    ApiException failure =
        catchThrowableOfType(
            ApiException.class,
            () ->
                atoll
                    .services()
                    .deploy(
                        "web",
                        s ->
                            program(s, "black")
                                .file("main.py", "print('broken')\nraise SystemExit(7)")));
    assertThat(failure.code()).isEqualTo(ErrorCode.DEPLOY_FAILED);
    assertThat(failure).hasMessageContaining("exit code 7").hasMessageContaining("broken");
    int soFar = answers.size();
    ServiceCaller.await(() -> answers.size() > soFar + 20, "requests are answered");
    done.set(true);
    for (Thread thread : callers) {
      thread.join(Duration.ofSeconds(60));
    }
    assertThat(answers).allMatch(a -> a.startsWith("green ") || a.startsWith("white "));
    assertThat(answers).anyMatch(a -> a.startsWith("green ")).anyMatch(a -> a.startsWith("white "));
    ServiceCaller.await(
        () -> atoll.services().get("web").instances().size() == 1, "the old instance is gone");
  }

  private void load(AtomicBoolean done, ConcurrentLinkedQueue<String> answers) {
    while (!done.get()) {
      try {
        HttpResponse<String> answer = caller.get("/");
        answers.add(answer.statusCode() == 200 ? answer.body() : "failed: " + answer.body());
      } catch (Exception e) {
        answers.add("failed: " + e);
      }
    }
  }

  @Test
  void aCrashIsMendedAndServiceAndLogsOutliveAServerThatIsKilled() throws Exception {
    atoll.services().deploy("web", s -> program(s, "grey").min(1));
    assertThat(caller.get("/die").statusCode()).isEqualTo(502);
    assertThat(caller.body("/after-the-crash")).startsWith("grey ");
    String instance = atoll.services().get("web").instances().getFirst().sandbox();
    assertThat(atoll.services().get("web").instances().getFirst().restarts()).isEqualTo(1);
    try (ServiceLogFeed feed = atoll.services().follow("web", 100)) {
      for (ServiceLogLine line : feed) {
        assertThat(line.instance()).isEqualTo(instance);
        if (line.text().equals("asked for /after-the-crash")) {
          break;
        }
      }
    }
    server.kill();
    server.start();
    atoll = server.atoll();
    caller = new ServiceCaller(atoll, caller.client());
    assertThat(caller.body("/after-the-kill")).isEqualTo("grey " + instance.replace('_', '-'));
    ServiceCaller.await(() -> caller.logged("asked for /after-the-kill"), "the log goes on");
    assertThat(atoll.services().logs("web", 1000))
        .extracting(ServiceLogLine::text)
        .contains("begun", "asked for /after-the-crash")
        .filteredOn(text -> text.equals("asked for /after-the-crash"))
        .hasSize(1);
    atoll.services().delete("web");
    assertThatThrownBy(() -> atoll.services().get("web")).isInstanceOf(NotFoundException.class);
    server.assertNothingLeft(instance);
  }
}
