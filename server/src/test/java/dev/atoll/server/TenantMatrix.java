package dev.atoll.server;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The operations of the spec, and for each the calls that {@code tenants/matrix.yaml} has. */
final class TenantMatrix {
  private static final Set<String> METHODS = Set.of("get", "post", "put", "patch", "delete");
  private static final Pattern PARAMETER = Pattern.compile("([a-z]+)/\\{([a-z]+)}");

  /** What is foreign behind a part of a path: everything of a kind that could be named there. */
  private static final Map<String, List<String>> KINDS =
      Map.ofEntries(
          Map.entry("sandboxes", List.of("sandbox", "sandboxName", "asleep", "gone")),
          Map.entry("snapshots", List.of("snapshot", "snapshotName")),
          Map.entry("templates", List.of("template")),
          Map.entry("builds", List.of("build")),
          Map.entry("tags", List.of("tag")),
          Map.entry("contexts", List.of("context")),
          Map.entry("processes", List.of("run", "terminal", "ended")),
          Map.entry("runs", List.of("run", "ended")),
          Map.entry("ports", List.of("port")),
          Map.entry("tcp", List.of("port")),
          Map.entry("spaces", List.of("space")),
          Map.entry("pools", List.of("pool", "poolName")),
          Map.entry("services", List.of("service", "serviceId")),
          Map.entry("secrets", List.of("secret")),
          Map.entry("projects", List.of("project")),
          Map.entry("keys", List.of("keyId")));

  private final JsonNode spec = load("/dev/atoll/server/http/openapi.yaml");
  private final JsonNode lines = load("/tenants/matrix.yaml");
  private final Map<String, Operation> operations = new LinkedHashMap<>();

  TenantMatrix() {
    spec.get("paths")
        .properties()
        .forEach(
            path ->
                path.getValue().properties().stream()
                    .filter(entry -> METHODS.contains(entry.getKey()))
                    .map(entry -> operation(path.getKey(), path.getValue(), entry))
                    .forEach(operation -> operations.put(operation.id(), operation)));
  }

  /**
   * An operation of the spec.
   *
   * @param parameters those of its query
   * @param fields those of its body, of the kinds that can name something
   * @param open whether it needs no key
   */
  record Operation(
      String id,
      String method,
      String path,
      Set<String> parameters,
      Set<String> fields,
      boolean open) {
    @Override
    public String toString() {
      return id;
    }
  }

  private Operation operation(String path, JsonNode item, Map.Entry<String, JsonNode> entry) {
    JsonNode operation = entry.getValue();
    Set<String> parameters =
        Stream.of(item.path("parameters"), operation.path("parameters"))
            .flatMap(JsonNode::valueStream)
            .map(this::resolve)
            .filter(parameter -> parameter.get("in").asString().equals("query"))
            .map(parameter -> parameter.get("name").asString())
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> fields = new TreeSet<>();
    operation
        .at("/requestBody/content")
        .forEach(
            content ->
                fields.addAll(resolve(content.path("schema")).path("properties").propertyNames()));
    boolean open = operation.has("security") && operation.get("security").isEmpty();
    return new Operation(
        operation.get("operationId").asString(),
        entry.getKey().toUpperCase(Locale.ROOT),
        path,
        parameters,
        fields,
        open);
  }

  private JsonNode resolve(JsonNode node) {
    return node.has("$ref") ? spec.at(node.get("$ref").asString().substring(1)) : node;
  }

  Map<String, Operation> operations() {
    return operations;
  }

  Set<String> lines() {
    return new TreeSet<>(lines.propertyNames());
  }

  /** The calls of an operation. */
  List<TenantCall> calls(Operation operation) {
    List<TenantCall> calls = new ArrayList<>();
    for (JsonNode line : lines.get(operation.id())) {
      List<String> paths =
          line.has("path") ? List.of(line.get("path").asString()) : paths(operation.path());
      paths.forEach(path -> calls.add(TenantCall.of(operation.method(), path, line)));
    }
    return calls;
  }

  /** A path with every foreign thing that its parameters could be. */
  private static List<String> paths(String path) {
    Matcher parameter = PARAMETER.matcher(path);
    if (!parameter.find()) {
      return List.of(path);
    }
    List<String> filled = new ArrayList<>();
    for (String thing : kinds(path, parameter.group(1))) {
      String name = "{" + parameter.group(2) + "}";
      filled.addAll(
          paths(path.replace(parameter.group(1) + "/" + name, parameter.group(1) + "/$" + thing)));
    }
    return filled;
  }

  private static List<String> kinds(String path, String segment) {
    if (segment.equals("shares")) {
      return path.startsWith("/v1/templates")
          ? List.of("project")
          : List.of(path.startsWith("/v1/services") ? "serviceShare" : "share");
    }
    return Objects.requireNonNull(KINDS.get(segment), () -> "no foreign thing for " + path);
  }

  private static JsonNode load(String resource) {
    InputStream in = TenantMatrix.class.getResourceAsStream(resource);
    return new YAMLMapper().readTree(Objects.requireNonNull(in));
  }
}
