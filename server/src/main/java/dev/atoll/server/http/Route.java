package dev.atoll.server.http;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * One operation of the API.
 *
 * @param path its segments; one in braces is a parameter
 * @param query the query parameters it takes; one that ends in a dot is the prefix of many
 * @param streams whether its answer goes on for an unknown time, so that HEAD makes no sense
 */
record Route(
    String method,
    String path,
    Set<String> query,
    Access access,
    boolean streams,
    Operation operation) {
  Route {
    query = Set.copyOf(query);
  }

  static Route get(String path, Operation operation) {
    return of("GET", path, operation);
  }

  static Route post(String path, Operation operation) {
    return of("POST", path, operation);
  }

  static Route put(String path, Operation operation) {
    return of("PUT", path, operation);
  }

  static Route patch(String path, Operation operation) {
    return of("PATCH", path, operation);
  }

  static Route delete(String path, Operation operation) {
    return of("DELETE", path, operation);
  }

  static Route of(String method, String path, Operation operation) {
    return new Route(method, path, Set.of(), Access.KEY, false, operation);
  }

  Route taking(String... names) {
    return new Route(method, path, Set.of(names), access, streams, operation);
  }

  Route open(Access to) {
    return new Route(method, path, query, to, streams, operation);
  }

  Route streaming() {
    return new Route(method, path, query, access, true, operation);
  }

  /** The segments of the path, without braces being looked at. */
  List<String> segments() {
    return path.equals("/") ? List.of() : Arrays.asList(path.substring(1).split("/", -1));
  }

  /** The names of the parameters, in the order of the path. */
  List<String> parameters() {
    return segments().stream().filter(Route::isParameter).flatMap(Route::name).toList();
  }

  static boolean isParameter(String segment) {
    return segment.startsWith("{");
  }

  private static Stream<String> name(String segment) {
    return Stream.of(segment.substring(1, segment.length() - 1));
  }
}
