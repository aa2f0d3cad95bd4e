package dev.atoll.cli;

import dev.atoll.model.Json;
import dev.atoll.sdk.Endpoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Carries messages of the Model Context Protocol between a client's streams and {@code /mcp} of the
 * server, which has the tools. Answers are written in the order in which they come.
 */
final class McpBridge implements AutoCloseable {
  private static final String SESSION = "Mcp-Session-Id";
  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final Duration LAST_ANSWERS = Duration.ofSeconds(5);
  private static final int NOT_FOUND = 404;
  private static final int SERVER_ERROR = -32000;

  private final Supplier<Endpoint> endpoint;
  private final PrintStream out;
  private final HttpClient client = HttpClient.newBuilder().connectTimeout(CONNECT).build();
  private final Phaser open = new Phaser(1);
  private @Nullable String beginning;
  private volatile @Nullable String session;
  private volatile @Nullable String version;
  private volatile boolean closed;

  McpBridge(Supplier<Endpoint> endpoint, PrintStream out) {
    this.endpoint = endpoint;
    this.out = out;
  }

  /** Takes a message of the client. Requests are waited for elsewhere, all others here. */
  void take(String line) {
    JsonNode message = parse(line);
    String method = message == null ? "" : message.path("method").asString("");
    JsonNode id = message == null || method.isEmpty() ? null : message.get("id");
    if (method.equals("initialize")) {
      beginning = line;
      begin(line, true);
    } else if (id == null) {
      post(line, null, true);
    } else {
      open.register();
      Thread.ofVirtual().start(() -> ask(line, id));
    }
  }

  private void ask(String line, JsonNode id) {
    try {
      post(line, id, true);
    } finally {
      open.arriveAndDeregister();
    }
  }

  private void begin(String line, boolean told) {
    try {
      HttpResponse<InputStream> answer = client.send(post(line), BodyHandlers.ofInputStream());
      String body = new String(answer.body().readAllBytes(), StandardCharsets.UTF_8);
      session = answer.headers().firstValue(SESSION).orElse(null);
      JsonNode parsed = parse(body);
      version =
          parsed == null ? null : parsed.path("result").path("protocolVersion").asString(null);
      if (told) {
        deliver(parsed, body, idOf(line));
      }
      if (session != null) {
        Thread.ofVirtual().start(this::listen);
      }
    } catch (IOException e) {
      fail(idOf(line), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void post(String line, @Nullable JsonNode id, boolean again) {
    try {
      String used = session;
      HttpResponse<InputStream> answer = client.send(post(line), BodyHandlers.ofInputStream());
      if (answer.statusCode() == NOT_FOUND && again && used != null && beginAgain(used)) {
        post(line, id, false);
        return;
      }
      if (isEvents(answer)) {
        events(answer.body());
      } else {
        String body = new String(answer.body().readAllBytes(), StandardCharsets.UTF_8);
        deliver(parse(body), body, id);
      }
    } catch (IOException e) {
      fail(id, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The server has forgotten the session, most likely because it is another one now. */
  private synchronized boolean beginAgain(String used) {
    if (beginning == null || closed) {
      return false;
    }
    if (used.equals(session)) {
      begin(beginning, false);
      post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", null, false);
    }
    return session != null;
  }

  private void listen() {
    try {
      HttpResponse<InputStream> answer =
          client.send(
              request().header("Accept", "text/event-stream").GET().build(),
              BodyHandlers.ofInputStream());
      if (isEvents(answer)) {
        events(answer.body());
      }
    } catch (IOException e) {
      // Nothing waits for it: the next request tells whether the server is there.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private HttpRequest post(String line) {
    return request()
        .header("Accept", "application/json, text/event-stream")
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(line))
        .build();
  }

  private HttpRequest.Builder request() {
    Endpoint server = endpoint.get();
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(URI.create(server.url() + "/mcp"))
            .header("Authorization", "Bearer " + server.apiKey());
    String current = session;
    String spoken = version;
    if (current != null) {
      builder.header(SESSION, current);
    }
    if (spoken != null) {
      builder.header("MCP-Protocol-Version", spoken);
    }
    return builder;
  }

  private static boolean isEvents(HttpResponse<?> answer) {
    return answer.headers().firstValue("Content-Type").orElse("").startsWith("text/event-stream");
  }

  private void events(InputStream body) throws IOException {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("data: ")) {
          write(line.substring("data: ".length()));
        }
      }
    }
  }

  /** Passes an answer on; what is none of the protocol becomes an error of it. */
  private void deliver(@Nullable JsonNode parsed, String body, @Nullable JsonNode id) {
    if (parsed != null && parsed.has("jsonrpc")) {
      write(body);
    } else if (id != null) {
      String message = parsed == null ? body : parsed.path("message").asString(body);
      error(id, message);
    }
  }

  private void fail(@Nullable JsonNode id, IOException failure) {
    if (id != null && !closed) {
      error(id, "the server cannot be reached: " + failure);
    }
  }

  private void error(JsonNode id, String message) {
    Map<String, Object> error = Map.of("code", SERVER_ERROR, "message", message);
    write(Json.lenient().writeValueAsString(Map.of("jsonrpc", "2.0", "id", id, "error", error)));
  }

  private synchronized void write(String message) {
    out.println(message);
    out.flush();
  }

  private static @Nullable JsonNode parse(String text) {
    try {
      return Json.lenient().readTree(text);
    } catch (JacksonException e) {
      return null;
    }
  }

  private static @Nullable JsonNode idOf(String line) {
    JsonNode message = parse(line);
    return message == null ? null : message.get("id");
  }

  /** Lets requests that are under way be answered, for a little while. */
  void awaitAnswers() {
    try {
      open.awaitAdvanceInterruptibly(open.arrive(), LAST_ANSWERS.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      // What takes longer ends with the session.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the session, and its sandbox with it. */
  @Override
  public void close() {
    if (closed || session == null) {
      return;
    }
    closed = true;
    try {
      client.send(
          request().timeout(CONNECT).DELETE().build(), HttpResponse.BodyHandlers.discarding());
    } catch (IOException e) {
      // The server ends sessions that nobody uses.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
