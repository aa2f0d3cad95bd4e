package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DiffCommandTest {
  private static final String DIFF =
      """
      {"from":"sbx_1","to":"sbx_2","truncated":true,"files":[
        {"path":"/a.txt","change":"changed","kind":"file","fromSize":2,"toSize":2048,
         "unified":"--- /a.txt\\n+++ /a.txt\\n@@ -1 +1 @@\\n-a\\n+\\u001b[2Jb\\tc\\n"},
        {"path":"/b\\u001b.bin","change":"added","kind":"file","toSize":3}],
       "variables":[
        {"context":"default","name":"x","change":"changed","from":"1","to":"2\\n3"},
        {"context":"default","name":"y","change":"removed","from":"7"}]}
      """;

  private final CliHarness cli = new CliHarness();

  @BeforeEach
  void start() {
    cli.answers("GET /v1/diff", 200, DIFF);
  }

  @AfterEach
  void stop() {
    cli.close();
  }

  @Test
  void aPipeGetsTheTextAsItIs() {
    assertThat(cli.run("diff", "lab", "try 1")).isZero();
    assertThat(cli.server.targets()).containsExactly("GET /v1/diff?from=lab&to=try%201");
    assertThat(cli.out())
        .isEqualTo(
            """
            changed file /a.txt  2 B -> 2.0 KiB
            --- /a.txt
            +++ /a.txt
            @@ -1 +1 @@
            -a
            +\u001b[2Jb\tc
            added file /b^[.bin  3 B
            changed variable x (default)
            -1
            +2^J3
            removed variable y (default)
            -7
            """);
    assertThat(cli.err()).isEqualTo("atoll: more files differ than are shown\n");
  }

  @Test
  void aTerminalGetsColoursAndNoControlCharactersOfTheGuest() {
    cli.terminal = true;
    assertThat(cli.run("diff", "lab", "try")).isZero();
    assertThat(cli.out())
        .contains(
            "\u001b[1mchanged file /a.txt\u001b[0m",
            "\u001b[1m+++ /a.txt\u001b[0m\n",
            "\u001b[36m@@ -1 +1 @@\u001b[0m\n",
            "\u001b[31m-a\u001b[0m\n",
            "\u001b[32m+^[[2Jb        c\u001b[0m\n")
        .doesNotContain("\u001b[2J");
  }

  @Test
  void noColorIsHeeded() {
    cli.terminal = true;
    cli.environment.put("NO_COLOR", "1");
    cli.run("diff", "lab", "try");
    assertThat(cli.out()).doesNotContain("\u001b");
  }

  @Test
  void statShowsNamesOnly() {
    assertThat(cli.run("diff", "lab", "try", "--stat")).isZero();
    assertThat(cli.out())
        .isEqualTo(
            """
            CHANGE   KIND      NAME         SIZE
            changed  file      /a.txt       2 B -> 2.0 KiB
            added    file      /b^[.bin     3 B
            changed  variable  x (default)
            removed  variable  y (default)
            """);
  }

  @Test
  void jsonIsTheWholeDifference() {
    assertThat(cli.run("diff", "lab", "try", "-o", "json")).isZero();
    assertThat(CliHarness.json(cli.out()).get("files").get(0).get("unified").asString())
        .contains("+++ /a.txt");
  }
}
