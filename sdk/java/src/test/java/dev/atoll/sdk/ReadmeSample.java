package dev.atoll.sdk;

import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The code of README.md and docs/sdk.md; ReadmeTest compares them. */
final class ReadmeSample {
  private ReadmeSample() {}

  static void quickStart() {
    // sample: quick-start
    Atoll atoll = Atoll.connect();
    try (Sandbox sandbox = atoll.sandboxes().create()) {
      sandbox.runCode("x = 6");
      RunResult result = sandbox.runCode("x * 7");
      System.out.println(result.text()); // 42
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
