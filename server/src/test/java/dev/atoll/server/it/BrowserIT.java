package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.Response;
import dev.atoll.model.RunResult;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A real browser on the pages that people see: programs in sandboxes, and the API's own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrowserIT {
  private static final String VITE = "7.3.8";
  private static final Path CHROMIUM = Path.of("/usr/bin/chromium");

  private RealServer server;
  private Atoll atoll;
  private Playwright playwright;
  private Browser browser;

  @BeforeAll
  void start(@TempDir Path folder) throws IOException, InterruptedException {
    assertThat(CHROMIUM).as("the package chromium is needed for this test").exists();
    server = WebPrograms.server(folder);
    atoll = server.atoll();
    server.build("node");
    playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    // Root may not use Chromium's own sandbox, and these tests start as root.
    browser =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(CHROMIUM)
                    .setArgs(List.of("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")));
  }

  @AfterAll
  void stop() throws IOException {
    if (playwright != null) {
      playwright.close();
    }
    server.close();
  }

  @Test
  void aSiteInASandboxIsBrowsed() throws Exception {
    try (Sandbox sandbox = WebPrograms.sandbox(atoll);
        Page page = browser.newPage()) {
      sandbox
          .files()
          .write(
              "site/index.html",
              """
              <!doctype html><title>inside</title><link rel="stylesheet" href="/style.css">
              <a href="next/">next</a><p id="at"></p>
              <script>fetch('/data.json').then(r => r.json())
                .then(d => document.getElementById('at').textContent = d.answer)</script>
              """);
      sandbox.files().write("site/style.css", "a { color: rgb(1, 2, 3) }");
      sandbox.files().write("site/data.json", "{\"answer\": 42}");
      sandbox.files().write("site/next/index.html", "<!doctype html><h1>next</h1>");
      WebPrograms.start(sandbox, 8000, "python3", "-m", "http.server", "8000", "-d", "site");

      Response refused = page.navigate(sandbox.ports().url(8000));
      assertThat(refused.status()).isEqualTo(401);
      assertThat(page.textContent("h1")).isEqualTo("This port is private");

      page.navigate(String.valueOf(sandbox.ports().share(8000).url()));
      assertThat(page.title()).isEqualTo("inside");
      assertThat(page.url()).doesNotContain("atoll_token");
      page.waitForFunction("document.getElementById('at').textContent === '42'");
      assertThat(page.evaluate("getComputedStyle(document.querySelector('a')).color"))
          .isEqualTo("rgb(1, 2, 3)");
      assertThat(page.evaluate("document.cookie")).as("the token is not the page's").isEqualTo("");
      page.click("a");
      assertThat(page.textContent("h1")).isEqualTo("next");
    }
  }

  @Test
  void aWebSocketInASandboxIsSpokenTo() throws Exception {
    try (Sandbox sandbox = WebPrograms.sandbox(atoll);
        Page page = browser.newPage()) {
      WebPrograms.start(sandbox, 3000, "node", WebPrograms.install(sandbox, "echo.js"), "3000");
      page.navigate(String.valueOf(sandbox.ports().share(3000).url()));
      page.waitForFunction(
          "document.getElementById('said').textContent === 'echo: hello from the browser'");
    }
  }

  /** Vite comes from the package cache, which needs the registry the first time alone. */
  @Test
  void aChangeOfASourceIsSeenThroughViteWithoutALoad() throws Exception {
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.template("node"));
        Page page = browser.newPage()) {
      sandbox
          .files()
          .write(
              "index.html",
              "<!doctype html><p id=\"said\"></p><script type=\"module\" src=\"/main.js\"></script>");
      sandbox
          .files()
          .write(
              "main.js",
              """
              import { text } from './text.js'
              const show = (t) => { document.getElementById('said').textContent = t }
              show(text)
              import.meta.hot.accept('./text.js', (changed) => show(changed.text))
              """);
      sandbox.files().write("text.js", "export const text = 'before'");
      RunResult install =
          sandbox.run(
              List.of("npm", "install", "--prefer-offline", "--no-audit", "vite@" + VITE),
              o -> o.timeout(Duration.ofMinutes(5)));
      assertThat(install.exitCode()).as(install.stderr()).isZero();
      WebPrograms.start(
          sandbox, 5173, "node_modules/.bin/vite", "--host", "127.0.0.1", "--port", "5173");
      // Changes are told by a WebSocket: one before it stands would not be seen.
      page.waitForConsoleMessage(
          new Page.WaitForConsoleMessageOptions()
              .setPredicate(message -> message.text().contains("[vite] connected"))
              .setTimeout(60_000),
          () -> page.navigate(String.valueOf(sandbox.ports().share(5173).url())));
      page.waitForFunction("document.getElementById('said').textContent === 'before'");
      page.evaluate("window.loadedOnce = true");
      sandbox.shell("echo \"export const text = 'after'\" > text.js");
      page.waitForFunction("document.getElementById('said').textContent === 'after'");
      assertThat(page.evaluate("window.loadedOnce")).isEqualTo(true);
    }
  }

  @Test
  void pagesOfSandboxesAreApartFromEachOtherAndFromTheApi() throws Exception {
    try (Sandbox one = WebPrograms.sandbox(atoll);
        Sandbox other = WebPrograms.sandbox(atoll);
        Page page = browser.newPage()) {
      for (Sandbox sandbox : List.of(one, other)) {
        sandbox.files().write("site/index.html", "<!doctype html><title>inside</title>");
        WebPrograms.start(sandbox, 8000, "python3", "-m", "http.server", "8000", "-d", "site");
        page.navigate(String.valueOf(sandbox.ports().share(8000).url()));
        assertThat(page.title()).isEqualTo("inside");
      }
      String fetch =
          "url => fetch(url, {credentials: 'include', mode: 'no-cors'}).then(r => r.type, () => 'failed')";
      assertThat(page.evaluate(fetch, one.ports().url(8000))).isIn("opaque", "failed");
      assertThat(
              page.evaluate(
                  "url => fetch(url, {credentials: 'include'}).then(() => 'read', () => 'refused')",
                  one.ports().url(8000)))
          .isEqualTo("refused");
      String below =
          "%s/v1/sandboxes/%s/ports/8000/?atoll_token=%s"
              .formatted(atoll.endpoint().url(), one.id(), one.ports().share(8000).token());
      page.navigate(below);
      assertThat(page.title()).isEqualTo("inside");
      assertThat(page.evaluate("window.origin")).as("a page without an origin").isEqualTo("null");
    }
  }

  @Test
  void theDocumentationOfTheApiIsShown() {
    try (Page page = browser.newPage()) {
      List<String> errors = new ArrayList<>();
      page.onPageError(errors::add);
      page.navigate(atoll.endpoint().url() + "/docs");
      assertThat(page.title()).contains("Atoll");
      assertThat(page.textContent("body")).contains("/v1/sandboxes/{sb}/ports");
      assertThat(errors).isEmpty();
    }
  }
}
