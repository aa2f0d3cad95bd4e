package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.sdk.Atoll;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code atoll run FILE} is what the language's own program makes of the file. */
class ScriptsIT {
  private static RealServer server;
  private static Atoll atoll;

  @TempDir Path folder;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    server = new RealServer();
    atoll = server.atoll();
    server.build("code-interpreter");
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  private record Ended(int code, String out, String err) {}

  private Ended run(String... arguments) throws Exception {
    Path cli = Path.of("../cli/target").toAbsolutePath().normalize();
    String classes = cli.resolve("classes") + File.pathSeparator + cli.resolve("lib/*");
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    List<String> command = new ArrayList<>(List.of(java, "-cp", classes, "dev.atoll.cli.Main"));
    command.addAll(List.of("run", "-t", "code-interpreter"));
    command.addAll(List.of(arguments));
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder
        .environment()
        .putAll(
            Map.of(
                "ATOLL_URL",
                atoll.endpoint().url().toString(),
                "ATOLL_API_KEY",
                atoll.endpoint().apiKey()));
    Process process = builder.start();
    try {
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return new Ended(
        process.exitValue(),
        Files.readString(out, StandardCharsets.UTF_8),
        Files.readString(err, StandardCharsets.UTF_8));
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  @Test
  void aScriptOfPythonIsAProgram() throws Exception {
    file("beside.py", "def fail(): raise ValueError('so')\n");
    String script =
        file(
            "main.py",
            """
            import sys, os, beside
            print(os.path.basename(__file__), sys.argv[1:])
            5 + 5
            if sys.argv[1] == 'fail': beside.fail()
            sys.exit(7)
            """);
    Ended ended = run(script, "one");
    assertThat(ended).isEqualTo(new Ended(7, "main.py ['one']\n", ""));
    Ended failed = run(script, "fail");
    assertThat(failed.code()).isEqualTo(1);
    assertThat(failed.err())
        .containsPattern("File \"/tmp/run-[0-9a-f]{8}/main.py\", line 4, in <module>")
        .containsPattern("File \"/tmp/run-[0-9a-f]{8}/beside.py\", line 1, in fail")
        .contains("ValueError: so")
        .doesNotContain("<cell");
    assertThat(run("--cell", file("cell.py", "6 * 7")).out()).isEqualTo("42\n");
  }

  @Test
  void scriptsOfOtherLanguagesAreTheirProgramsToo() throws Exception {
    file("lib.js", "module.exports = 5;\n");
    String node =
        file(
            "main.js",
            """
            const path = require('path');
            console.log(path.basename(__filename), require('./lib'), process.argv[2]);
            5 + 5;
            process.exitCode = 3;
            """);
    assertThat(run(node, "one")).isEqualTo(new Ended(3, "main.js 5 one\n", ""));
    file("other.ts", "export enum Size { Small = 4 }\n");
    String types =
        file(
            "main.ts",
            "import { Size } from './other.ts';\nconst n: number = Size.Small;\nconsole.log(n);\n");
    assertThat(run(types)).isEqualTo(new Ended(0, "4\n", ""));
    file("lib.sh", "greet() { echo \"hello $1\"; }\n");
    String bash = file("main.sh", "source \"$(dirname \"$0\")/lib.sh\"\ngreet \"$1\"\nexit 4\n");
    assertThat(run(bash, "you")).isEqualTo(new Ended(4, "hello you\n", ""));
    String java =
        file("Main.java", "void main(String[] args) { IO.println(args[0]); System.exit(5); }\n");
    assertThat(run(java, "one")).isEqualTo(new Ended(5, "one\n", ""));
  }
}
