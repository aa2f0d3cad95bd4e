package dev.atoll.server;

import dev.atoll.driver.testkit.FakeDriver;
import dev.atoll.driver.testkit.FakeHost;
import dev.atoll.engine.Engine;
import dev.atoll.engine.template.BuildPlan;
import dev.atoll.engine.template.Recipe;
import dev.atoll.model.ErrorBody;
import dev.atoll.model.Json;
import dev.atoll.server.config.SettingsLoader;
import dev.atoll.server.mcp.McpService;
import dev.atoll.server.mcp.McpSettings;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** A whole server whose sandboxes are objects in this process. */
final class EngineFixture implements AutoCloseable {
  private static final String RECIPE =
      """
      name: python
      suite: trixie
      kernels:
        python: /usr/bin/python3
      languages:
        parrot: {file: main.txt, compile: true, run: cat}
      spare: python
      """;

  private final FakeHost host = new FakeHost();
  private final ServerConfig config;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private AtollServer server;
  private String key;

  EngineFixture(Path folder, String... settings) throws Exception {
    config = configure(folder, settings);
    server = AtollServer.start(config, List.of(new FakeDriver(host)));
    key = readKey();
  }

  /** A server that offers something else to assistants. */
  EngineFixture(Path folder, BiFunction<Engine, McpSettings, McpService> assistants)
      throws Exception {
    config = configure(folder);
    server =
        AtollServer.start(
            config,
            List.of(new FakeDriver(host)),
            engine -> assistants.apply(engine, config.mcp()));
    key = readKey();
  }

  private static ServerConfig configure(Path folder, String... settings) throws IOException {
    Stream<String> usual =
        Stream.of(
            "--data-dir=" + folder.resolve("data"),
            "--templates-dir=" + folder.resolve("recipes"),
            "--server.port=0",
            "--server.ping-interval=200ms",
            "--network.find-registries=false");
    ServerConfig config =
        ServerConfig.of(
            new SettingsLoader(Map.of(), folder, false)
                .load(Stream.concat(usual, Stream.of(settings)).toList()));
    Path recipes = Files.createDirectories(config.storage().templatesDirectory());
    Path recipe = Files.writeString(recipes.resolve("python.yaml"), RECIPE);
    Path templates = config.storage().dataDirectory().resolve("templates");
    // The root file system is the one part of a template that a fake host has no use for.
    String digest = BuildPlan.of(Recipe.read(recipe), null).digest();
    Files.createDirectories(templates.resolve(digest).resolve("rootfs"));
    return config;
  }

  Path data() {
    return config.storage().dataDirectory();
  }

  ServerConfig config() {
    return config;
  }

  String key() {
    return key;
  }

  URI url(String path) {
    return URI.create(server.url() + path);
  }

  HttpClient client() {
    return client;
  }

  /** Stops the server and starts another on the same data and the same host. */
  void restart() throws Exception {
    server.close();
    server = AtollServer.start(config, List.of(new FakeDriver(host)));
    key = readKey();
  }

  AtollServer server() {
    return server;
  }

  Answer get(String path) throws Exception {
    return send(request(path));
  }

  Answer delete(String path) throws Exception {
    return send(request(path).DELETE());
  }

  Answer post(String path, String body) throws Exception {
    return send(request(path).POST(BodyPublishers.ofString(body)));
  }

  Answer put(String path, byte[] body) throws Exception {
    return send(request(path).PUT(BodyPublishers.ofByteArray(body)));
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(url(path)).header("X-API-Key", key);
  }

  Answer send(HttpRequest.Builder request) throws Exception {
    return new Answer(client.send(request.build(), HttpResponse.BodyHandlers.ofString()));
  }

  HttpResponse<InputStream> stream(HttpRequest.Builder request) throws Exception {
    return client.send(
        request.header("Accept", "application/x-ndjson").build(),
        HttpResponse.BodyHandlers.ofInputStream());
  }

  /** Makes a sandbox and gives its path. */
  String sandbox() throws Exception {
    return "/v1/sandboxes/" + post("/v1/sandboxes", "{}").json().get("id").asString();
  }

  @Override
  public void close() {
    client.close();
    server.close();
  }

  private String readKey() throws Exception {
    return Files.readString(data().resolve("admin.key")).strip();
  }

  /** An answer and its two readings. */
  record Answer(HttpResponse<String> response) {
    int status() {
      return response.statusCode();
    }

    String body() {
      return response.body();
    }

    JsonNode json() {
      return Json.lenient().readTree(response.body());
    }

    String code() {
      return Json.lenient().readValue(response.body(), ErrorBody.class).code().wire();
    }

    String header(String name) {
      return response.headers().firstValue(name).orElse("");
    }
  }
}
