package dev.atoll.examples.scripted;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A language model that reads from a script; not a real one. Listens on loopback alone, on a port
 * that is free.
 */
public final class ScriptedModel implements AutoCloseable {
  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxStringLength(64 << 20).build())
                  .build())
          .build();
  private static final List<Dialect> DIALECTS =
      List.of(new AnthropicDialect(), new ChatDialect(), new ResponsesDialect());

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Script> scripts;
  private final List<JsonNode> requests = new CopyOnWriteArrayList<>();
  private final AtomicInteger number = new AtomicInteger();
  private final Set<String> failed = ConcurrentHashMap.newKeySet();

  private ScriptedModel(List<Script> scripts) throws IOException {
    this.scripts = scripts;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    server.setExecutor(threads);
    DIALECTS.forEach(
        dialect -> server.createContext(dialect.path(), exchange -> answer(exchange, dialect)));
    server.start();
  }

  /** Starts one with these scripts. */
  public static ScriptedModel start(Script... scripts) throws IOException {
    return new ScriptedModel(List.of(scripts));
  }

  /** Its address, as the variable {@code ANTHROPIC_BASE_URL} wants it. */
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Its address, as the variable {@code OPENAI_BASE_URL} wants it. */
  public String openAiUrl() {
    return url() + "/v1";
  }

  /** What was asked, in order. */
  public List<JsonNode> requests() {
    return List.copyOf(requests);
  }

  private void answer(HttpExchange exchange, Dialect dialect) throws IOException {
    try (exchange) {
      JsonNode request = JSON.readTree(exchange.getRequestBody().readAllBytes());
      requests.add(request);
      Turn turn = turn(dialect.hear(request));
      String model = request.path("model").asString("scripted");
      if (turn.status() != 200) {
        exchange.getResponseHeaders().set("Retry-After", "0");
        send(exchange, turn.status(), dialect.error(turn.status()));
      } else if (request.path("stream").asBoolean(false)) {
        stream(exchange, dialect.stream(turn, model, number.incrementAndGet()));
      } else {
        send(exchange, 200, dialect.reply(turn, model, number.incrementAndGet()));
      }
    }
  }

  private static void send(HttpExchange exchange, int status, Object body) throws IOException {
    byte[] bytes = JSON.writeValueAsBytes(body);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private static void stream(HttpExchange exchange, List<Dialect.Event> events) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    OutputStream out = exchange.getResponseBody();
    for (Dialect.Event event : events) {
      String name = event.name() == null ? "" : "event: " + event.name() + "\n";
      String data =
          event.data() instanceof String text ? text : JSON.writeValueAsString(event.data());
      out.write((name + "data: " + data + "\n\n").getBytes(StandardCharsets.UTF_8));
      out.flush();
    }
  }

  private Turn turn(Heard heard) {
    List<Heard.Entry> entries = heard.entries();
    for (int i = entries.size() - 1; i >= 0; i--) {
      Heard.Entry entry = entries.get(i);
      for (Script script : scripts) {
        if (entry.who() == Heard.Who.USER && entry.text().contains(script.when())) {
          long said =
              entries.subList(i, entries.size()).stream()
                  .filter(later -> later.who() == Heard.Who.MODEL)
                  .count();
          return turn(script, (int) said).quoting(heard.lastOutput());
        }
      }
    }
    return Turn.say("The script has nothing to say to that.");
  }

  /** Failures are no replies, so a conversation does not count them; each is given once. */
  private Turn turn(Script script, int said) {
    int replies = 0;
    for (int i = 0; i < script.turns().size(); i++) {
      Turn turn = script.turns().get(i);
      if (turn.status() != 200) {
        if (replies == said && failed.add(script.when() + "#" + i)) {
          return turn;
        }
      } else if (replies++ == said) {
        return turn;
      }
    }
    return script.turns().getLast();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
    threads.close();
  }
}
