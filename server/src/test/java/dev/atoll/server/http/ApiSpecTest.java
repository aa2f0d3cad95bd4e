package dev.atoll.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonValue;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.atoll.engine.Engine;
import dev.atoll.model.BuildEvent;
import dev.atoll.model.Cidr;
import dev.atoll.model.DeployEvent;
import dev.atoll.model.JudgeEvent;
import dev.atoll.model.Page;
import dev.atoll.model.PortRange;
import dev.atoll.model.RunEvent;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The spec says what the server does, and the server does what the spec says. */
final class ApiSpecTest {
  private static final JsonNode SPEC = load();
  private static final Set<Class<?>> PARTS_OF_TEXTS = Set.of(Cidr.class, PortRange.class);
  private static final List<Class<?>> EVENTS =
      List.of(RunEvent.class, JudgeEvent.class, BuildEvent.class, DeployEvent.class);
  private static final Set<String> METHODS = Set.of("get", "post", "put", "patch", "delete");

  @Test
  void routesAndSpecHaveTheSameOperations() {
    Set<String> inSpec = new TreeSet<>();
    SPEC.get("paths")
        .properties()
        .forEach(
            path ->
                path.getValue().propertyNames().stream()
                    .filter(METHODS::contains)
                    .forEach(m -> inSpec.add(m.toUpperCase(Locale.ROOT) + " " + path.getKey())));
    assertThat(inSpec)
        .isEqualTo(
            routes()
                .map(r -> r.method() + " " + r.path())
                .collect(Collectors.toCollection(TreeSet::new)));
  }

  @ParameterizedTest
  @MethodSource("routes")
  void parametersAgree(Route route) {
    assertThat(parameters(route, "query")).as("query of %s", route).isEqualTo(route.query());
    assertThat(parameters(route, "path")).isEqualTo(Set.copyOf(route.parameters()));
  }

  @ParameterizedTest
  @MethodSource("routes")
  void operationsAreDescribed(Route route) {
    JsonNode operation = operation(route);
    assertThat(operation.get("operationId")).isNotNull();
    assertThat(operation.get("summary")).isNotNull();
    assertThat(operation.at("/tags/0").asString()).isIn(tags());
    assertThat(operation.get("responses")).isNotEmpty();
    boolean open = operation.has("security") && operation.get("security").isEmpty();
    assertThat(open).isEqualTo(route.access() == Access.OPEN);
  }

  @ParameterizedTest
  @MethodSource("records")
  void recordsAgree(Class<?> type) {
    JsonNode schema = SPEC.at("/components/schemas/" + type.getSimpleName());
    assertThat(schema.isObject()).as("schema %s", type.getSimpleName()).isTrue();
    Set<String> fields = new TreeSet<>();
    Set<String> required = new TreeSet<>();
    if (EVENTS.stream().anyMatch(events -> events.isAssignableFrom(type))) {
      fields.add("type");
      required.add("type");
    }
    for (RecordComponent component : type.getRecordComponents()) {
      fields.add(component.getName());
      JsonNode property = schema.at("/properties/" + component.getName());
      // What has a default is never null and may be left out all the same.
      if (!component.getAnnotatedType().isAnnotationPresent(Nullable.class)
          && !property.has("default")) {
        required.add(component.getName());
      }
      checkType(property, component);
    }
    assertThat(new TreeSet<>(schema.get("properties").propertyNames())).isEqualTo(fields);
    assertThat(strings(schema.path("required"))).isEqualTo(required);
  }

  @ParameterizedTest
  @MethodSource("enums")
  void enumsAgree(Class<?> type) throws Exception {
    Set<String> wire = new TreeSet<>();
    for (Object constant : type.getEnumConstants()) {
      wire.add((String) type.getMethod("wire").invoke(constant));
    }
    assertThat(strings(SPEC.at("/components/schemas/" + type.getSimpleName() + "/enum")))
        .isEqualTo(wire);
  }

  @Test
  void pagesHaveItemsAndACursor() {
    SPEC.at("/components/schemas")
        .properties()
        .forEach(
            schema -> {
              if (schema.getKey().endsWith("Page")) {
                assertThat(schema.getValue().get("properties").propertyNames())
                    .containsExactlyInAnyOrder("items", "nextCursor");
              }
            });
  }

  @Test
  void requestsRefuseWhatTheyDoNotKnowInTheSpecToo() {
    for (String name :
        List.of(
            "SandboxSpec",
            "SandboxUpdate",
            "RunCodeRequest",
            "CommandRequest",
            "PackagesRequest",
            "ContextSpec",
            "SignalRequest",
            "TerminalSize",
            "MoveRequest",
            "SnapshotRequest",
            "CheckpointPolicy",
            "ForkRequest",
            "MergeRequest",
            "RewindRequest",
            "SpaceRequest",
            "PoolSpec",
            "PoolUpdate",
            "ClaimRequest",
            "ServiceSpec",
            "ServiceUpdate",
            "ServiceShareRequest",
            "GitSource",
            "HealthCheck",
            "NetworkPolicy",
            "NetworkRuleRequest",
            "PortRequest",
            "ShareRequest",
            "TagRequest",
            "ExecuteRequest",
            "JudgeRequest",
            "JudgeCase",
            "ApiKeyRequest")) {
      assertThat(SPEC.at("/components/schemas/" + name + "/additionalProperties").asString())
          .as(name)
          .isEqualTo("false");
    }
  }

  @Test
  void referencesResolveAndNothingIsEmpty() {
    List<String> wrong = new ArrayList<>();
    walk("", SPEC, wrong);
    assertThat(wrong).isEmpty();
  }

  private static void walk(String path, JsonNode node, List<String> wrong) {
    if (node.isNull()) {
      wrong.add(path + " is null");
    }
    if (node.has("$ref")) {
      String reference = node.get("$ref").asString();
      if (SPEC.at(reference.substring(1)).isMissingNode()) {
        wrong.add(path + " refers to " + reference);
      }
    }
    node.properties().forEach(e -> walk(path + "/" + e.getKey(), e.getValue(), wrong));
    node.valueStream().filter(JsonNode::isContainer).forEach(v -> walk(path + "/*", v, wrong));
  }

  private static void checkType(JsonNode property, RecordComponent component) {
    Class<?> type = component.getType();
    JsonNode schema =
        property.has("$ref") ? SPEC.at(property.get("$ref").asString().substring(1)) : property;
    String expected;
    if (type == String.class
        || type.isEnum()
        || type == Instant.class
        || isWritten(type, String.class)) {
      expected = "string";
    } else if (type == boolean.class || type == Boolean.class) {
      expected = "boolean";
    } else if (type == double.class || type == Double.class) {
      expected = "number";
    } else if (List.class.isAssignableFrom(type)) {
      expected = "array";
    } else if (type.isRecord() || Map.class.isAssignableFrom(type)) {
      expected = "object";
    } else {
      expected = "integer";
    }
    assertThat(schema.path("type").asString()).as(component.toString()).isEqualTo(expected);
  }

  private static Set<String> parameters(Route route, String in) {
    JsonNode item = SPEC.get("paths").get(route.path());
    return Stream.of(item.path("parameters"), operation(route).path("parameters"))
        .flatMap(JsonNode::valueStream)
        .map(p -> p.has("$ref") ? SPEC.at(p.get("$ref").asString().substring(1)) : p)
        .filter(p -> p.get("in").asString().equals(in))
        .map(p -> p.get("name").asString())
        .collect(Collectors.toCollection(HashSet::new));
  }

  private static JsonNode operation(Route route) {
    return SPEC.get("paths").get(route.path()).get(route.method().toLowerCase(Locale.ROOT));
  }

  private static List<String> tags() {
    return SPEC.get("tags").valueStream().map(tag -> tag.get("name").asString()).toList();
  }

  private static Set<String> strings(JsonNode array) {
    return array
        .valueStream()
        .map(JsonNode::asString)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The table of routes can be looked at without an engine. */
  @SuppressWarnings("NullAway")
  static Stream<Route> routes() {
    Engine none = null;
    McpHandler nobody = new McpHandler(null, null, new Shutdown());
    return new ApiRoutes(none, nobody, new Metrics(List.of()), new Shutdown())
        .all("test", Instant.EPOCH).stream();
  }

  static Stream<Class<?>> records() {
    return modelClasses()
        .filter(Class::isRecord)
        .filter(
            type ->
                type != Page.class
                    && !isWritten(type, Object.class)
                    && !PARTS_OF_TEXTS.contains(type));
  }

  /** Whether a record is one value of that type on the wire, instead of an object of its parts. */
  private static boolean isWritten(Class<?> type, Class<?> as) {
    return Arrays.stream(type.getMethods())
        .filter(method -> method.isAnnotationPresent(JsonValue.class))
        .anyMatch(method -> as.isAssignableFrom(method.getReturnType()));
  }

  static Stream<Class<?>> enums() {
    return modelClasses().filter(Class::isEnum);
  }

  private static Stream<Class<?>> modelClasses() {
    return new ClassFileImporter()
        .importPackages("dev.atoll.model").stream()
            .filter(
                type -> type.getModifiers().contains(JavaModifier.PUBLIC) || type.isNestedClass())
            .map(JavaClass::reflect)
            .filter(
                type ->
                    Arrays.asList(type.getInterfaces()).isEmpty()
                        || type.isRecord()
                        || type.isEnum());
  }

  private static JsonNode load() {
    InputStream spec = ApiSpecTest.class.getResourceAsStream("openapi.yaml");
    return new YAMLMapper().readTree(Objects.requireNonNull(spec));
  }
}
