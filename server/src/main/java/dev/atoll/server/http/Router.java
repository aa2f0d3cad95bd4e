package dev.atoll.server.http;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the route of a request: a tree with one level per path segment. A literal segment wins over
 * a parameter. Immutable once built.
 */
final class Router {
  private static final RouteMatch UNKNOWN = new RouteMatch.Unknown();

  private final Node root = new Node();
  private final List<Route> routes;

  Router(Collection<Route> routes) {
    this.routes = List.copyOf(routes);
    this.routes.forEach(this::add);
  }

  List<Route> routes() {
    return routes;
  }

  /**
   * Finds a route.
   *
   * @param path the path as it came, still percent-encoded
   */
  RouteMatch match(String method, String path) {
    if (path.isEmpty() || path.charAt(0) != '/') {
      return UNKNOWN;
    }
    Node node = root;
    List<String> values = new ArrayList<>(3);
    int start = 1;
    while (start < path.length() || (start == path.length() && start > 1)) {
      int end = path.indexOf('/', start);
      end = end < 0 ? path.length() : end;
      String segment = PercentCoding.decode(path.substring(start, end), false);
      Node next = node.literals.get(segment);
      if (next == null && node.parameter != null && !segment.isEmpty()) {
        values.add(segment);
        next = node.parameter;
      }
      if (next == null) {
        return UNKNOWN;
      }
      node = next;
      start = end + 1;
    }
    return atNode(node, method, values);
  }

  private static RouteMatch atNode(Node node, String method, List<String> values) {
    if (node.byMethod.isEmpty()) {
      return UNKNOWN;
    }
    Leaf leaf = node.byMethod.get(method);
    if (leaf == null && method.equals("HEAD")) {
      leaf = node.byMethod.get("GET");
      leaf = leaf == null || leaf.route.streams() ? null : leaf;
    }
    return leaf == null
        ? new RouteMatch.WrongMethod(node.allowed())
        : new RouteMatch.Found(leaf.route, leaf.names, values);
  }

  private void add(Route route) {
    Node node = root;
    for (String segment : route.segments()) {
      if (Route.isParameter(segment)) {
        node.parameter = node.parameter == null ? new Node() : node.parameter;
        node = node.parameter;
      } else {
        node = node.literals.computeIfAbsent(segment, _ -> new Node());
      }
    }
    if (node.byMethod.put(route.method(), new Leaf(route, route.parameters())) != null) {
      throw new IllegalArgumentException("two routes for " + route.method() + " " + route.path());
    }
  }

  private record Leaf(Route route, List<String> names) {}

  private static final class Node {
    final Map<String, Node> literals = new HashMap<>();
    final Map<String, Leaf> byMethod = new HashMap<>();
    @Nullable Node parameter;

    Set<String> allowed() {
      Set<String> allowed = new TreeSet<>(byMethod.keySet());
      Leaf get = byMethod.get("GET");
      if (get != null && !get.route.streams()) {
        allowed.add("HEAD");
      }
      allowed.add("OPTIONS");
      return allowed;
    }
  }
}
