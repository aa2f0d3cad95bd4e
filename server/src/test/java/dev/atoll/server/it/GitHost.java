package dev.atoll.server.it;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A host of repositories as git itself serves them, by {@code git http-backend}. */
record GitHost(Path folder) implements HttpHandler {
  private static final Map<String, String> AUTHOR =
      Map.of(
          "GIT_AUTHOR_NAME", "a",
          "GIT_AUTHOR_EMAIL", "a@example.com",
          "GIT_COMMITTER_NAME", "a",
          "GIT_COMMITTER_EMAIL", "a@example.com",
          "GIT_CONFIG_NOSYSTEM", "1");

  /** Makes a repository with one file on each of its branches; the first is the usual one. */
  void repository(String name, String file, Map<String, String> contentByBranch, String usual)
      throws IOException, InterruptedException {
    Path repository = Files.createDirectories(folder.resolve(name));
    git(repository, "init", "--quiet", "--initial-branch=" + usual, ".");
    for (var branch : contentByBranch.entrySet()) {
      git(repository, "checkout", "--quiet", "-B", branch.getKey());
      Files.writeString(repository.resolve(file), branch.getValue());
      git(repository, "add", file);
      git(repository, "commit", "--quiet", "-m", branch.getKey());
    }
    git(repository, "checkout", "--quiet", usual);
  }

  private static void git(Path repository, String... arguments)
      throws IOException, InterruptedException {
    ProcessBuilder git =
        new ProcessBuilder(Stream.concat(Stream.of("git"), Stream.of(arguments)).toList())
            .directory(repository.toFile())
            .redirectErrorStream(true);
    git.environment().putAll(AUTHOR);
    Process process = git.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(30, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IOException("git " + List.of(arguments) + ": " + said);
    }
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      ProcessBuilder backend = new ProcessBuilder("git", "http-backend");
      String query = exchange.getRequestURI().getRawQuery();
      String type = exchange.getRequestHeaders().getFirst("Content-Type");
      String coding = exchange.getRequestHeaders().getFirst("Content-Encoding");
      String protocol = exchange.getRequestHeaders().getFirst("Git-Protocol");
      byte[] body = exchange.getRequestBody().readAllBytes();
      backend
          .environment()
          .putAll(
              Map.of(
                  "GIT_PROJECT_ROOT",
                  folder.toString(),
                  "GIT_HTTP_EXPORT_ALL",
                  "1",
                  "GIT_CONFIG_COUNT",
                  "1",
                  "GIT_CONFIG_KEY_0",
                  "safe.directory",
                  "GIT_CONFIG_VALUE_0",
                  "*",
                  "REQUEST_METHOD",
                  exchange.getRequestMethod(),
                  "PATH_INFO",
                  exchange.getRequestURI().getPath(),
                  "QUERY_STRING",
                  query == null ? "" : query,
                  "CONTENT_TYPE",
                  type == null ? "" : type,
                  "CONTENT_LENGTH",
                  Integer.toString(body.length)));
      backend.environment().put("HTTP_CONTENT_ENCODING", coding == null ? "" : coding);
      backend.environment().put("GIT_PROTOCOL", protocol == null ? "" : protocol);
      Process process = backend.start();
      try (OutputStream stdin = process.getOutputStream()) {
        stdin.write(body);
      }
      answer(exchange, new BufferedInputStream(process.getInputStream()));
    }
  }

  /** Hands on what a program said as CGI has it: headers, an empty line, the body. */
  private static void answer(HttpExchange exchange, InputStream said) throws IOException {
    int status = 200;
    for (String line = line(said); !line.isEmpty(); line = line(said)) {
      int colon = line.indexOf(':');
      String value = line.substring(colon + 1).strip();
      if (line.substring(0, colon).equalsIgnoreCase("Status")) {
        status = Integer.parseInt(value.split(" ", 2)[0]);
      } else {
        exchange.getResponseHeaders().add(line.substring(0, colon), value);
      }
    }
    exchange.sendResponseHeaders(status, 0);
    said.transferTo(exchange.getResponseBody());
  }

  private static String line(InputStream said) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = said.read(); next >= 0 && next != '\n'; next = said.read()) {
      line.write(next);
    }
    return line.toString(StandardCharsets.US_ASCII).strip();
  }
}
