package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Chart;
import dev.atoll.model.MimeBundle;
import dev.atoll.model.RunResult;
import dev.atoll.model.RunStatus;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Results in several forms, and what people are used to from notebooks. */
class NotebookIT {
  private static RealServer server;
  private static Atoll atoll;
  private static Sandbox sandbox;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    server = new RealServer();
    atoll = server.atoll();
    server.build("code-interpreter");
    sandbox = atoll.sandboxes().create(s -> s.template("code-interpreter"));
  }

  @AfterAll
  static void stop() throws IOException {
    sandbox.close();
    server.close();
  }

  private static RunResult run(String code) {
    RunResult result = sandbox.runCode(code);
    assertThat(result.status()).as("%s\n%s", code, result).isEqualTo(RunStatus.OK);
    return result;
  }

  @Test
  void valuesComeInEveryFormTheyOffer() {
    RunResult result =
        run(
            """
            from IPython.display import display, HTML, Image, JSON
            class Both:
                def __repr__(self): return 'both'
                def _repr_markdown_(self): return '**both**'
                def _repr_pdf_(self): return b'%PDF-'
            display(HTML('<b>x</b>'), JSON({'a': [1, 2]}))
            Both()
            """);
    assertThat(result.html()).contains("<b>x</b>");
    assertThat(result.json()).contains(Map.of("a", List.of(1, 2)));
    assertThat(result.markdown()).contains("**both**");
    assertThat(result.pdf().orElseThrow()).startsWith('%', 'P', 'D', 'F');
    assertThat(result.text()).hasValue("both");
    assertThat(result.displays()).hasSize(2);
  }

  @Test
  void whatIsTooLargeIsLeftOutWithANote() {
    RunResult result = run("class Big:\n    def _repr_png_(self): return bytes(20_000_000)\nBig()");
    assertThat(result.png()).isEmpty();
    assertThat(result.text().orElseThrow())
        .contains("image/png left out: 26.7 MB")
        .contains("write it to a file");
  }

  @Test
  void habitsOfNotebooksWork() {
    assertThat(run("!echo one; echo two >&2").stdout()).isEqualTo("one\n");
    assertThat(run("names = !printf 'b\\na\\n'\nsorted(names)").text()).hasValue("['a', 'b']");
    assertThat(run("%%bash\nfor i in 1 2 3; do echo $((i * i)); done").stdout())
        .isEqualTo("1\n4\n9\n");
    assertThat(run("%%writefile /tmp/made.py\nmade = 6 * 7\n").stdout()).contains("/tmp/made.py");
    assertThat(run("%cd /tmp\nfrom made import made\nmade").text()).hasValue("42");
    assertThat(run("_ + 1").text()).hasValue("43");
    assertThat(run("_;").text()).isEmpty();
    assertThat(run("%env GREETING=hi").stdout()).isEqualTo("env: GREETING=hi\n");
    assertThat(run("!echo $GREETING there").stdout()).isEqualTo("hi there\n");
    assertThat(run("%%time\nsum(range(1000))"))
        .satisfies(
            timed -> {
              assertThat(timed.text()).hasValue("499500");
              assertThat(timed.stdout()).contains("Wall time:");
            });
    assertThat(run("def add(a, b=2):\n    'Adds.'\n    return a + b").text()).isEmpty();
    assertThat(run("add?").stdout()).contains("Signature: add(a, b=2)").contains("Adds.");
    assertThat(run("%pip --version").stdout()).startsWith("pip ");
    RunResult failed = sandbox.runCode("!true\n\n1/0");
    assertThat(failed.error()).isNotNull();
    assertThat(String.join("\n", failed.error() == null ? List.of() : failed.error().traceback()))
        .contains("<cell ", ", line 3")
        .doesNotContain("atoll");
  }

  @Test
  void aFigureIsAnImageAndTheDataBehindIt() throws IOException {
    RunResult result =
        run(
            """
            import matplotlib.pyplot as plt
            plt.plot([1, 2, 3], [1, 4, 9], label='squares')
            plt.title('Growth')
            plt.xlabel('n')
            plt.legend()
            print('drawn')
            """);
    assertThat(result.stdout()).isEqualTo("drawn\n");
    BufferedImage image = ImageIO.read(new ByteArrayInputStream(result.png().orElseThrow()));
    assertThat(image.getWidth()).isBetween(400, 800);
    assertThat(image.getHeight()).isBetween(300, 600);
    assertThat(colours(image)).as("colours of a picture that is not blank").isGreaterThan(10);
    Chart chart = result.chart().orElseThrow();
    Chart.Plot plot = chart.plots().getFirst();
    assertThat(plot.title()).isEqualTo("Growth");
    assertThat(plot.type()).isEqualTo("line");
    assertThat(plot.x()).isNotNull().extracting(Chart.Axis::label).isEqualTo("n");
    assertThat(plot.series())
        .singleElement()
        .satisfies(
            line -> {
              assertThat(line.label()).isEqualTo("squares");
              assertThat(line.x()).containsExactly(1, 2, 3);
              assertThat(line.y()).containsExactly(1, 4, 9);
            });
    assertThat(run("plt.get_fignums()").text()).hasValue("[]");
  }

  private static long colours(BufferedImage image) {
    int[] pixels =
        image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
    return Arrays.stream(pixels).distinct().count();
  }

  @Test
  void whatIsReplacedAndClearedIsGoneFromTheWhole() {
    RunResult result =
        run(
            """
            from IPython.display import clear_output
            print('gone'); display('gone')
            for i in range(50):
                clear_output(wait=True)
                print(i)
            bar = display(0, display_id=True)
            for i in range(3): bar.update(i)
            """);
    assertThat(result.stdout()).isEqualTo("49\n");
    assertThat(result.displays()).extracting(MimeBundle::text).containsExactly("2");
  }

  @Test
  void librariesShowThemselvesAsInANotebook() {
    assertThat(run("import pandas as pd\npd.DataFrame({'a': [1]}).style.hide()").html())
        .hasValueSatisfying(html -> assertThat(html).contains("<table"));
    RunResult bar = run("from tqdm.auto import tqdm\nfor i in tqdm(range(3)): pass");
    assertThat(bar.stderr()).isEmpty();
    assertThat(bar.displays())
        .singleElement()
        .satisfies(
            shown -> {
              assertThat(shown.text()).startsWith("100%|").contains("3/3");
              assertThat(shown.html().orElseThrow()).contains("<progress value=\"3\" max=\"3\">");
            });
  }

  @Test
  void tasksMayBeMadeBeforeTheFirstAwait() {
    RunResult result =
        run(
            """
            import asyncio
            async def square(i): return i * i
            tasks = [asyncio.create_task(square(i)) for i in range(3)]
            await asyncio.gather(*tasks)
            """);
    assertThat(result.text()).hasValue("[0, 1, 4]");
    assertThat(run("asyncio.run(square(5))").text()).hasValue("25");
  }

  @Test
  void everyKindOfChartIsTold() {
    RunResult result =
        run(
            """
            import matplotlib.pyplot as plt, numpy as np, pandas as pd
            plt.bar(['a', 'b'], [3, 5]); plt.show()
            plt.scatter([1, 2], [3, 4]); plt.show()
            plt.pie([1, 3], labels=['x', 'y'], autopct='%.0f%%'); plt.show()
            plt.boxplot([[1, 2, 3, 4, 100]], tick_labels=['box']); plt.show()
            plt.hist([1, 1, 2, 3], bins=2); plt.show()
            plt.imshow(np.eye(2)); plt.colorbar(); plt.show()
            fig, axes = plt.subplots(1, 2)
            fig.suptitle('Both')
            axes[0].plot(pd.date_range('2024-01-01', periods=2), [1, float('nan')])
            axes[1].barh(['u', 'v'], [1, 2])
            plt.show()
            """);
    List<Chart> charts = result.shown().stream().map(shown -> shown.chart().orElseThrow()).toList();
    assertThat(charts)
        .extracting(chart -> chart.plots().getFirst().type())
        .containsExactly("bar", "scatter", "pie", "box", "histogram", "heatmap", "line");
    assertThat(first(charts.get(0)).x()).containsExactly("a", "b");
    assertThat(first(charts.get(0)).y()).containsExactly(3, 5);
    assertThat(first(charts.get(1)).y()).containsExactly(3.0, 4.0);
    assertThat(first(charts.get(2)).labels()).containsExactly("x", "y");
    assertThat(first(charts.get(2)).y()).containsExactly(1, 3);
    assertThat(first(charts.get(3)).boxes())
        .containsExactly(new Chart.Box(1, 2, 3, 4, 4, List.of(100)));
    assertThat(first(charts.get(4)).x()).containsExactly(1.0, 2.0, 3.0);
    assertThat(first(charts.get(5)).z()).containsExactly(List.of(1.0, 0.0), List.of(0.0, 1.0));
    Chart both = charts.get(6);
    assertThat(both.title()).isEqualTo("Both");
    assertThat(first(both).x().getFirst().toString()).startsWith("2024-01-01");
    assertThat(first(both).y()).containsExactly(1.0, null);
    assertThat(both.plots().get(1).series().getFirst().y()).containsExactly("u", "v");
  }

  @Test
  void rarerKindsOfChartsAreToldToo() {
    RunResult result =
        run(
            """
            import matplotlib.pyplot as plt, numpy as np, seaborn as sns, pandas as pd
            x, y = np.meshgrid(np.arange(3), np.arange(2)); z = x + y
            plt.contourf(x, y, z); plt.contour(x, y, z); plt.show()
            plt.violinplot([[1, 2, 3]]); plt.show()
            plt.quiver([0, 1], [0, 1], [1, 0], [0, 1]); plt.show()
            plt.streamplot(np.arange(3), np.arange(3), np.ones((3, 3)), np.zeros((3, 3))); plt.show()
            plt.hexbin([1, 1, 2], [1, 1, 2], gridsize=2); plt.show()
            plt.figure().add_subplot(projection='3d').plot_surface(x, y, z); plt.show()
            plt.hist([1, 1, 2, 3], bins=2, histtype='stepfilled', label='s'); plt.show()
            plt.errorbar([1, 2], [3, 4], yerr=[.5, .25], label='e'); plt.show()
            table = pd.DataFrame({'k': list('abab'), 'h': list('uuvv'), 'a': [1., 2, 3, 4], 'b': [4., 3, 2, 1]})
            sns.barplot(table, x='k', y='a'); plt.show()
            sns.pairplot(table, vars=['a', 'b'], hue='h', diag_kind='hist'); plt.show()
            plt.polar([0, 1], [1, 2]); plt.show()
            """);
    List<Chart> charts = result.shown().stream().map(shown -> shown.chart().orElseThrow()).toList();
    assertThat(charts)
        .extracting(chart -> first(chart).type())
        .startsWith(
            "contour",
            "violin",
            "quiver",
            "streamplot",
            "hexbin",
            "surface",
            "histogram",
            "line",
            "bar");
    assertThat(first(charts.get(0)).z()).containsExactly(List.of(0, 1, 2), List.of(1, 2, 3));
    assertThat(first(charts.get(1)).boxes().getFirst().median()).isEqualTo(2);
    assertThat(first(charts.get(2)).u()).containsExactly(1, 0);
    assertThat(first(charts.get(4)).z()).contains(2.0);
    assertThat(first(charts.get(6)).label()).isEqualTo("s");
    assertThat(first(charts.get(7)).label()).isEqualTo("e");
    assertThat(first(charts.get(7)).yError())
        .containsExactly(List.of(0.5, 0.5), List.of(0.25, 0.25));
    assertThat(charts.get(8).plots().getFirst().series()).hasSize(1);
    assertThat(first(charts.get(8)).yError()).hasSize(2);
    assertThat(charts.get(9).plots())
        .anySatisfy(
            plot ->
                assertThat(plot.series())
                    .extracting(Chart.Series::label)
                    .containsExactly("u", "v"));
    assertThat(charts.get(10).plots().getFirst().projection()).isEqualTo("polar");
    Chart solid =
        run("import plotly.express as px\npx.scatter_3d(x=['a'], y=[2], z=[3])")
            .chart()
            .orElseThrow();
    assertThat(first(solid).z()).containsExactly(3);
    assertThat(solid.plots().getFirst().x())
        .isNotNull()
        .extracting(Chart.Axis::scale)
        .isEqualTo("category");
  }

  private static Chart.Series first(Chart chart) {
    return chart.plots().getFirst().series().getFirst();
  }

  @Test
  void tablesImagesAndInteractiveChartsComeInTheirOwnForms() throws IOException {
    RunResult table = run("import pandas as pd\npd.DataFrame({'a': [1, 2], 'b': ['x', None]})");
    assertThat(table.html().orElseThrow()).contains("<table", "<td>x</td>");
    assertThat(table.text().orElseThrow()).contains("a     b\n0  1     x");
    RunResult picture = run("from PIL import Image\nImage.new('RGB', (30, 20), 'red')");
    BufferedImage image = ImageIO.read(new ByteArrayInputStream(picture.png().orElseThrow()));
    assertThat(List.of(image.getWidth(), image.getHeight())).containsExactly(30, 20);
    assertThat(image.getRGB(5, 5)).isEqualTo(0xffff0000);
    RunResult chart =
        run("import plotly.express as px\npx.bar(x=['a', 'b'], y=[1, 2], title='P').show()");
    assertThat(chart.displays()).hasSize(1);
    assertThat(chart.displays().getFirst().get("application/vnd.plotly.v1+json")).isPresent();
    assertThat(chart.chart().orElseThrow().title()).isEqualTo("P");
    assertThat(first(chart.chart().orElseThrow()).y()).containsExactly(1, 2);
  }

  @Test
  void preloadedLibrariesAreThereAtOnceAndInTheFirstKernelOnly() {
    try (Sandbox fresh = atoll.sandboxes().create(s -> s.template("code-interpreter"))) {
      String loaded =
          "import sys\n'pandas' in sys.modules, 'matplotlib.pyplot' in sys.modules, 'pd' in dir()";
      assertThat(fresh.runCode(loaded).text()).hasValue("(True, True, False)");
      assertThat(fresh.runCode(loaded, c -> c.context("other")).text())
          .hasValue("(False, False, False)");
      // Each sandbox draws numbers of its own, though the generator was made in the template.
      String draw = "import numpy as np\nnp.random.random()";
      try (Sandbox sibling = atoll.sandboxes().create(s -> s.template("code-interpreter"))) {
        assertThat(fresh.runCode(draw).text()).isNotEqualTo(sibling.runCode(draw).text());
      }
    }
  }

  @Test
  void everyKernelIsThere() {
    Map<String, String> programs =
        Map.of(
            "bash", "echo $((6 * 7))",
            "javascript", "console.log(6 * 7)",
            "typescript", "const n: number = 42; console.log(n)",
            "java", "System.out.println(6 * 7);");
    programs.forEach(
        (language, code) -> {
          RunResult result = sandbox.runCode(code, c -> c.language(language));
          assertThat(result.stdout()).as("%s: %s", language, result).isEqualTo("42\n");
        });
  }
}
