package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TreeCommandTest {
  private final CliHarness cli = new CliHarness();

  @BeforeEach
  void start() {
    String nodes =
        String.join(
            ",",
            node("sbx_1", "sandbox", "", "running", "\"name\":\"lab\","),
            node("snp_1", "checkpoint", "sbx_1", "ready", "\"note\":\"x = 1\\n\\u001b[2Jy = 2\","),
            node("sbx_2", "sandbox", "snp_1", "hibernated", ""),
            node("snp_3", "snapshot", "sbx_2", "creating", "\"name\":\"base\","),
            node("sbx_3", "sandbox", "snp_1", "running", ""),
            node("snp_2", "checkpoint", "snp_1", "ready", ""),
            node("sbx_4", "sandbox", "snp_2", "running", ""),
            node("snp_9", "snapshot", "deleted", "ready", ""));
    cli.answers(
        "GET /v1/sandboxes/try/tree",
        200,
        "{\"root\":\"sbx_1\",\"current\":\"sbx_2\",\"nodes\":[" + nodes + "]}");
  }

  @AfterEach
  void stop() {
    cli.close();
  }

  @Test
  void historyGoesStraightDownAndForksBranchOff() {
    cli.environment.put("LANG", "en_US.UTF-8");
    assertThat(cli.run("tree", "try")).isZero();
    assertThat(drawn())
        .containsExactly(
            "TREE           NAME  STATE",
            "■ sbx_1        lab   running",
            "└─○ snp_1      -     checkpoint",
            "  ├─■ sbx_2 ◀  -     hibernated",
            "  │ └─● snp_3  base  snapshot (creating)",
            "  ├─■ sbx_3    -     running",
            "  ○ snp_2      -     checkpoint",
            "  └─■ sbx_4    -     running",
            "● snp_9        -     snapshot");
    assertThat(cli.out()).contains(" x = 1 ^[[2Jy = 2\n").doesNotContain("\u001b");
  }

  @Test
  void asciiServesWhereTheLocaleHasNoMore() {
    cli.environment.put("LANG", "en_US.UTF-8");
    cli.environment.put("LC_ALL", "C");
    assertThat(cli.run("tree", "try")).isZero();
    assertThat(drawn())
        .contains(
            "`-o snp_1       -     checkpoint",
            "  |-# sbx_2 <-  -     hibernated",
            "  | `-* snp_3   base  snapshot (creating)");
    assertThat(cli.out()).matches("\\p{ASCII}*");
  }

  @ParameterizedTest
  @CsvSource({
    "LC_ALL, C.UTF-8, true",
    "LC_CTYPE, de_DE.utf8, true",
    "LANG, de_DE.ISO-8859-1, false",
    "LANG, '', false"
  })
  void theLocaleDecides(String variable, String value, boolean unicode) {
    cli.environment.put(variable, value);
    cli.run("tree", "try");
    assertThat(cli.out().contains("└─")).isEqualTo(unicode);
  }

  @Test
  void jsonIsTheTree() {
    cli.run("tree", "try", "--output", "json");
    assertThat(CliHarness.json(cli.out()).get("nodes")).hasSize(8);
  }

  /** The lines without ages and notes. */
  private List<String> drawn() {
    return cli.out()
        .lines()
        .map(line -> line.replaceAll(" +(AGE|[0-9]+[smhd]( |$)).*", ""))
        .toList();
  }

  private static String node(String id, String kind, String parent, String state, String more) {
    String from = parent.isEmpty() ? "" : "\"parent\":\"" + parent + "\",";
    return "{\"id\":\"%s\",\"kind\":\"%s\",%s%s\"state\":\"%s\",\"createdAt\":\"2026-11-15T00:00:00Z\"}"
        .formatted(id, kind, from, more, state);
  }
}
